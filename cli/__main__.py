"""`python -m cli` is `sottovoce`."""

import sys

try:
    from cli.main import main
except KeyboardInterrupt:  # Ctrl-C before there is anything to leave
    sys.exit(130)

main()
