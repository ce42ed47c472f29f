"""`python -m sottovoce` is `sottovoce`."""

import sys

try:
    from sottovoce.cli.main import main
except KeyboardInterrupt:  # Ctrl-C before any command is running
    sys.exit(130)

main()
