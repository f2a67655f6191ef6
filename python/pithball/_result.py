"""What the dataclasses of `results.py` have in common."""

import json
import types
from dataclasses import fields
from pathlib import Path
from typing import Literal, Union, get_args, get_origin, get_type_hints


class Result:
    """An object of a file of results. Keys of newer versions that it does not know are left out."""

    @classmethod
    def of(cls, document):
        """The object from a dict, as `json` reads it. Raises KeyError if a key is missing."""
        kinds = get_type_hints(cls)
        known = {}
        for field in fields(cls):
            if field.name in document or field.default is not None:
                known[field.name] = _value(kinds[field.name], document[field.name])
        return cls(**known)

    @classmethod
    def read(cls, file):
        """The object from a JSON file."""
        return cls.of(json.loads(Path(file).read_text()))


def _value(kind, stored):
    """What `stored` is as the annotation `kind` says; forms other than objects, lists and mappings stay as they are."""
    origin, parts = get_origin(kind), get_args(kind)
    if stored is None or origin is Literal:
        return stored
    if origin in (Union, types.UnionType):
        parts = [part for part in parts if part is not type(None)]
        if len(parts) > 1:
            return stored
        return _value(parts[0], stored)
    if origin is list:
        return [_value(parts[0], one) for one in stored]
    if origin is dict:
        return {name: _value(parts[1], one) for name, one in stored.items()}
    if origin is tuple:
        return tuple(_value(part, one) for part, one in zip(parts, stored))
    if isinstance(kind, type) and issubclass(kind, Result):
        return kind.of(stored)
    return stored
