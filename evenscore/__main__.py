"""Run the `evenscore` command as `python -m evenscore`."""

from __future__ import annotations

import sys

from evenscore.cli import main

sys.exit(main())
