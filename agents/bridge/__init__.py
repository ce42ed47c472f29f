"""`files:DIR`: an outside program holds a seat by reading and writing files in a folder of its own (docs/files.md)."""
