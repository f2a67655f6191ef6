"""How many threads computations use."""

from __future__ import annotations

from . import _pithball


def max_threads() -> int:
    """How many threads a computation of this process uses at most."""
    return _pithball.max_threads()


def set_max_threads(threads: int) -> None:
    """Limits the threads of computations of this process that begin later; results do not depend on it."""
    _pithball.set_max_threads(threads)
