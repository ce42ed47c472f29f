"""`files:DIR`: an outside program plays a seat by reading and writing files in a folder (docs/files.md)."""
