"""What the agent `acp:CMD` needs: a program that speaks the Agent Client Protocol, and the sessions it keeps."""
