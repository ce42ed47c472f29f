"""The public face of Sottovoce for other people's packages."""
