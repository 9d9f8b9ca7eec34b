"""`python -m evenscore` is the `evenscore` command."""

import sys

from .cli import main

sys.exit(main())
