"""What the agent `command:CMD` needs: its settings, and one run of a program with what comes back."""
