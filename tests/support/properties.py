"""How much tests try: the examples of property tests, always the same ones, and the parameters of long tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# No test depends on the machine's speed, and the first example may compile kernels.
_COMMON: dict[str, Any] = {
    "derandomize": True,
    "deadline": None,
    "print_blob": True,
    "suppress_health_check": [HealthCheck.too_slow],
}
for _name in ("quick", "full"):
    settings.register_profile(_name, settings(**_COMMON))


def examples(count: int) -> settings:
    """Settings of a property test: `count` examples in the full profile, a tenth of them in the quick one.

    The quick profile has 20 examples at least, or `count` where that is less.

    `derandomize` makes the examples a function of the test's code, so a failure comes back in every run of the test.
    """
    quick = settings.get_current_profile_name() == "quick"
    return settings(max_examples=min(count, max(count // 10, 20)) if quick else count)


def first_is_quick(values: Iterable[Any]) -> list[Any]:
    """The parameters of a long test, of which all but the first are slow."""
    first, *others = values
    return [first, *(pytest.param(each, marks=pytest.mark.slow) for each in others)]
