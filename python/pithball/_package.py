"""The files that the package carries: the page of reports, the database of units, licences."""

from __future__ import annotations

import atexit
import os
from pathlib import Path


def _load():
    """The compiled part, with one thread of OpenBLAS: it reads this name once, when it is loaded, and would start others
    beside those of the package."""
    name = "OPENBLAS_NUM_THREADS"
    given = os.environ.get(name)
    os.environ[name] = "1"
    try:
        from . import _pithball
    finally:
        if given is None:
            del os.environ[name]
        else:
            os.environ[name] = given
    return _pithball


_pithball = _load()

folder = Path(__file__).parent / "share"
if folder.is_dir():
    _pithball.use_shared_folder(str(folder))
atexit.register(_pithball.end_calls)  # a thread that computes on would be ended in the middle of compiled code


def licences() -> dict[str, str]:
    """Licence texts of Pithball and of every library that this package carries, by name.

    A wheel made by `make wheel` carries its libraries. An installation from source uses those of the system, whose
    licences are described by `pithball-LICENSES`. Raises FileNotFoundError if the package lacks its texts.
    """
    place = folder / "licences"
    texts = {file.stem: file.read_text(errors="replace") for file in sorted(place.glob("*"))}
    if not texts:
        raise FileNotFoundError(f"{place}: licence texts of the package required, got none; install the package again")
    return texts
