"""The rulesets that ship, one folder each; they import what any ruleset may."""
