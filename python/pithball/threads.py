"""How many threads computations use."""

from . import _pithball


def max_threads():
    """How many threads a computation of this process uses at most."""
    return _pithball.max_threads()


def set_max_threads(threads):
    """Limits the threads of computations of this process that begin later; results do not depend on it."""
    _pithball.set_max_threads(threads)
