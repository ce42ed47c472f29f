"""The list of games, read from the read model and brought up to date from the log where it lags behind."""
