"""`python -m evenscore` is the `evenscore` command."""

from __future__ import annotations

import sys

from evenscore.cli import main

sys.exit(main())
