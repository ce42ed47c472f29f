"""How events look on a terminal: each as the piece that its ruleset makes of it."""
