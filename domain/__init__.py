"""The rules: pure functions over events."""
