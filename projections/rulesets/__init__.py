"""What the rulesets that ship add to how games are shown, counted and audited."""
