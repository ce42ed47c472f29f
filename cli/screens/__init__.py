"""Terminal screens: each event is shown as the piece that its ruleset makes of it."""
