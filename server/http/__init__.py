"""The games over HTTP: everything between a socket and the command handling."""
