"""Campaign folders as people have them: what is found in one, where it goes, and what is written to begin with."""
