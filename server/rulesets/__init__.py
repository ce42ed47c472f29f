"""What the rulesets that ship need to be opened."""
