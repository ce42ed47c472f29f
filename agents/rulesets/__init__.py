"""What the rulesets that ship add to what fills seats; what plays is loaded when it is called."""
