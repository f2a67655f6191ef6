"""Keys of an experiment with new values, as the compiled part takes them."""

import json
from collections.abc import Mapping

import numpy as np

from .errors import InvalidArgument


def _plain(value):
    """A value as JSON can write it, which is YAML, too."""
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.kind == "c":
            raise InvalidArgument.of("value", "must be real", f"an array of {value.dtype}", "give its real part")
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise InvalidArgument.of(
        "value", "must be a number, text, a list, an array or a mapping of these", type(value).__name__
    )


def to_yaml(value):
    """YAML text of a value; text is taken as it would stand in a file: "40 nC" is a quantity."""
    return value if isinstance(value, str) else json.dumps(_plain(value))


def to_changes(changes):
    """A mapping of paths ("system.charge") to values as a list of pairs of texts."""
    if changes is not None and not isinstance(changes, Mapping):
        raise InvalidArgument.of("changes", "must be a mapping of paths to values", type(changes).__name__,
                                 'write {"system.charge": "40 nC"}')
    for path in changes or {}:
        if not isinstance(path, str):
            raise InvalidArgument.of("changes", "must have paths as keys", repr(path), 'write {"system.charge": "40 nC"}')
    return [(path, to_yaml(value)) for path, value in (changes or {}).items()]


def to_document_text(document):
    """A whole experiment, given as nested mappings, as YAML text."""
    return json.dumps(_plain(document))
