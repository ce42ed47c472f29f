"""What the rulesets that ship add at the terminal; commands and screens are loaded when they are needed."""
