"""`python -m cli` is `sottovoce`."""

from cli.main import main

main()
