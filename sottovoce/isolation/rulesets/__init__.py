"""What the kit must know of the rulesets that ship."""
