"""Pure folds over recorded events."""
