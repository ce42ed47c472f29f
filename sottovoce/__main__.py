"""`python -m sottovoce` is `sottovoce`."""

import sys

try:
    from sottovoce.cli.main import main
except KeyboardInterrupt:  # Ctrl-C before there is anything to leave
    sys.exit(130)

main()
