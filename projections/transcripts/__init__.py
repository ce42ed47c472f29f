"""What a transcript is made of: chapters, items, and how a ruleset lays them out."""
