"""The classes of `pithball.results` and the JSON Schema of results: both describe the files that runs leave."""

import json
from pathlib import Path

import pytest

from pithball import results

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")

SCHEMA = json.loads((Path(__file__).resolve().parents[2] / "docs/results.schema.json").read_text())


def problems(document, kind):
    schema = {key: value for key, value in SCHEMA.items() if key != "anyOf"} | {"$ref": f"#/$defs/{kind}"}
    return [f"{error.json_path}: {error.message}" for error in jsonschema.Draft202012Validator(schema).iter_errors(document)]


def test_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_a_fit_is_as_described(fit):
    assert not problems(fit.result, "FitResult")
    assert problems({**fit.result, "seconds": "long"}, "FitResult")
    typed = fit.typed
    assert [p.estimate for p in typed.parameters] == [fit[name] for name in fit.names]
    assert typed.quality.reduced_chi_square == fit.result["quality"]["reduced_chi_square"]
    assert isinstance(typed.parameters[0].interval, tuple)
    assert typed.halved_step is None
    assert results.FitResult.read(fit.folder / "fit.json") == typed


def test_a_file_that_lacks_a_key_is_refused(fit):
    for lost in ("quality", "parameters"):
        with pytest.raises(KeyError):
            results.FitResult.of({key: value for key, value in fit.result.items() if key != lost})
