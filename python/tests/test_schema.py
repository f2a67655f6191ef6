"""The JSON Schema of experiment files: it takes what the program reads, and nothing with a wrong name or form."""

import copy
import json
from pathlib import Path

import pytest

import pithball as pb

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/experiment.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def read_experiments():
    documents = {file: yaml.safe_load(file.read_text()) for file in sorted((ROOT / "experiments").rglob("*.yaml"))}
    return {
        str(file.relative_to(ROOT)): document
        for file, document in documents.items()
        if isinstance(document, dict) and {"system", "include"} & set(document)
    }


EXPERIMENTS = read_experiments()


def problems(document):
    return [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(document)]


def test_schema_is_one():
    VALIDATOR.check_schema(SCHEMA)


def test_there_are_experiments():
    assert len(EXPERIMENTS) > 30


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_experiments_of_the_repository_are_valid(name):
    assert not problems(EXPERIMENTS[name])


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if "/configs/" in name])
def test_files_with_every_default_are_valid(name):
    assert not problems(yaml.safe_load(pb.load(ROOT / name).filled()))


VALID = {
    "name": "two",
    "system": {"vertices": [[0, 0, 0], [1, 0, 0]], "mass": 1, "springs": {"edges": [[0, 1]], "stiffness": 2}},
    "forces": [{"gravity": [0, 0, -9.81]}],
    "simulation": {"time_step": 0.01, "duration": 1},
}


def changed(path, value):
    """VALID with another value at a path of keys and numbers of items."""
    document = copy.deepcopy(VALID)
    part = document
    *parents, last = path
    for key in parents:
        part = part[key] if isinstance(part, list) else part.setdefault(key, {})
    part[last] = value
    return document


GOOD = [
    (("system", "mass"), "200 g"),
    (("system", "mass"), [1, "2 kg"]),
    (("system", "mass"), {"total": "3 kg"}),
    (("system", "mass"), {"ears": 1, "rest": {"total": 2}}),
    (("system", "charge"), "-40 nC"),
    (("system", "pinned"), [0, "0-1"]),
    (("system", "pinned"), None),
    (("forces", 0), "coulomb"),
    (("forces", 0), {"coulomb": {"method": "fmm", "tolerance": 1e-4}}),
    (("forces", 0), {"electric_field": {"uniform": [0, 0, "1 kV/m"]}}),
    (("simulation", "integrator"), "rk4"),
    (("simulation", "integrator"), {"xpbd": {"substeps": 4}}),
    (("simulation", "time_step"), "10 ms"),
    (("fit",), {"parameters": ["charge", {"stiffness": {"share": "none", "bounds": [1, 20]}}]}),
]
BAD = [
    (("sytem",), {}),
    (("name",), ["two"]),
    (("system", "masss"), 1),
    (("system", "mass"), "heavy"),
    (("system", "mass"), -1),
    (("system", "mass"), "-1 kg"),
    (("system", "vertices"), [[0, 0], [1, 0]]),
    (("system", "mesh"), {"torus": {"major_radius": "1 m", "minor_radius": "2 cm", "segments": [10]}}),
    (("system", "mesh"), {"donut": {}}),
    (("forces",), {"gravity": [0, 0, -9.81]}),
    (("forces", 0), "columb"),
    (("forces", 0), {"coulomb": {"method": "magic"}}),
    (("forces", 0), {"coulomb": {}, "gravity": [0, 0, -9.81]}),
    (("simulation", "integrator"), "rk5"),
    (("simulation", "integrator"), {"xpbd": {"substep": 4}}),
    (("simulation", "time_step"), 0),
    (("simulation", "max_iterations"), 2.5),
    (("output",), {"every": "often"}),
    (("fit",), {"parameters": [{"stiffness": {"shares": "none"}}]}),
    (("fit",), {"recording_defaults": {"raet": 100}}),
]


@pytest.mark.parametrize("path, value", GOOD)
def test_valid_forms(path, value):
    assert not problems(changed(path, value))


@pytest.mark.parametrize("path, value", BAD)
def test_wrong_names_and_forms(path, value):
    assert problems(changed(path, value))
