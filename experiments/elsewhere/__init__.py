"""Games that were played elsewhere: the logs of other programs, read into games of this log that nobody plays on."""
