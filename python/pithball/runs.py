"""Run folders: the files that every simulation and fit leaves, as the program writes them."""

from __future__ import annotations

import copy
import io
import json
import shutil
import tarfile
import warnings
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from . import _pithball
from .errors import InvalidArgument, PithballWarning, SimulationFailed
from .results import DiagnosisResult, FitResult, IdentifyResult, PlanResult, RunStatus, SimulationSummary
from .run_folders import copy_run, make_temporary, read_record, remove_with, require_same_files

if TYPE_CHECKING:
    import arviz
    import matplotlib.axes
    import xarray


def _packed(folder):
    """The files of a folder as bytes."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.add(folder, arcname="run")
    return packed.getvalue()


def _unpickled(kind, folder, files, state):
    """A run as another process pickled it: of its folder or, of a temporary one, of the files in it."""
    temporary = None
    if files is not None:
        temporary = make_temporary()
        with tarfile.open(fileobj=io.BytesIO(files)) as archive:
            # Python before 3.11.4 has no filters; the archive is our own.
            archive.extractall(temporary, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        folder = Path(temporary) / "run"
    run = kind(folder, temporary=temporary)
    run.__dict__.update(state)
    return run


class Run:
    """A run folder. Without `out` it is temporary, and goes when this object goes; `save` keeps it.

    Runs can be pickled: one with a temporary folder takes its files along. `Fit(folder)` is the fit of a folder that an
    earlier process left. Arrays of a run are read-only; change copies of them.
    """

    def __init__(self, folder, status=None, explanation=None, temporary=None):
        #: The run folder, a Path from the root; it is read when a result is asked for.
        self.folder = Path(folder).absolute()
        self._is_temporary = bool(temporary)
        if temporary:
            remove_with(self, temporary)
        self._id = (read_record(self.folder) or {}).get("id")
        if status is None:
            summary = self._json("summary.json")
            status = summary["status"]
            explanation = "; ".join(dict.fromkeys(summary[key] for key in ("why", "remedy") if summary.get(key)))
        #: The word of a results.RunStatus: "ok", "converged", "doubtful", "does not fit", "diverged", …
        self.status = status
        #: Why the status is not a good one, and a remedy; empty where nothing is wrong.
        self.explanation = explanation

    def __reduce__(self):
        files = _packed(self._path()) if self._is_temporary else None
        state = {key: self.__dict__[key] for key in ("status", "explanation", "_id")}
        return _unpickled, (type(self), self.folder, files, state)

    def _path(self, name=""):
        """A file of the run, or its folder; raises InvalidArgument where the folder now holds another run."""
        if (read_record(self.folder) or {}).get("id") != self._id and self.folder.exists():
            raise InvalidArgument.of(str(self.folder), "must hold the run that this object is of", "another run",
                                     "give each run an `out` of its own, or read the new one by its class: Fit(folder)")
        return self.folder / name

    def _json(self, name):
        return json.loads(self._path(name).read_text())

    def _doubts(self):
        """What is to be warned of when the run ends."""
        return [f"{self.status}: {self.explanation}"] if self.explanation else []

    def save(self, folder: str | Path, overwrite: bool = False) -> Path:
        """Copies the run folder to `folder`, which `pithball report` and `export` read; returns its path.

        overwrite: replace an earlier run there, as soon as the copy is complete; files that others put into it are kept.
        Raises InvalidArgument for a folder of something else, and for the run's own.
        """
        copy_run(self._path(), folder, overwrite)
        return Path(folder)

    def report(self, file: str | Path | None = None) -> Path:
        """Writes the HTML report of the run, `report.html` in its folder if `file` is left out; returns its path."""
        target = Path(file) if file is not None else self.folder / "report.html"
        _pithball.write_report(str(self._path()), str(target))
        return target


class RunTarget:
    """Where a run goes: the folder that was asked for, or one of its own among the temporary files.

    As a context: a temporary folder goes where nothing was made.
    """

    def __init__(self, out):
        self.temporary = make_temporary() if out is None else None
        self.path = str(out) if out is not None else str(Path(self.temporary) / "run")

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None and self.temporary and not Path(self.path).exists():
            shutil.rmtree(self.temporary, ignore_errors=True)

    def finish(self, kind, outcome):
        """The run as an object; an interrupted one raises KeyboardInterrupt, a doubtful one warns."""
        if outcome["status"] in (RunStatus.INTERRUPTED, RunStatus.STOPPED):
            raise KeyboardInterrupt(f"interrupted; what is done is in {outcome['folder']}")
        run = kind(outcome["folder"], outcome["status"], outcome["explanation"], self.temporary)
        for doubt in run._doubts():
            warnings.warn(doubt, PithballWarning, stacklevel=3)
        return run


class Simulation(Run):
    """A forward run.

    Arrays are in SI units, snapshots first: `t` (T,), `x` and `v` (T, N, 3). Where particles come and go, N is the
    largest number of them, and missing ones are NaN.
    """

    @cached_property
    def _trajectory(self):
        arrays = _pithball.read_trajectory(str(self._path("trajectory.h5")))
        for array in arrays.values():
            if isinstance(array, np.ndarray):
                array.setflags(write=False)  # a change would show in every other array of this run
        return arrays

    @property
    def t(self) -> np.ndarray:
        """Times of the snapshots [s], (T,)."""
        return self._trajectory["t"]

    @property
    def x(self) -> np.ndarray:
        """Positions [m], (T, N, 3)."""
        return self._trajectory["x"]

    @property
    def v(self) -> np.ndarray:
        """Velocities [m/s], (T, N, 3)."""
        return self._trajectory["v"]

    @property
    def mass(self) -> np.ndarray:
        """Masses [kg], (N,)."""
        return self._trajectory["mass"]

    @property
    def charge(self) -> np.ndarray:
        """Charges [C], (N,)."""
        return self._trajectory["charge"]

    @property
    def springs(self) -> np.ndarray:
        """The two particles of each spring, (S, 2)."""
        return self._trajectory["springs"].astype(int)

    @property
    def energy(self) -> pd.DataFrame:
        """Energies of the snapshots [J] by kind, and what was lost, with `time` [s] as index."""
        return self._energy.copy()

    @cached_property
    def _energy(self):
        return pd.read_csv(self._path("energy.csv"), comment="#").set_index("time")

    @property
    def summary(self) -> dict:
        """summary.json as a dict; its keys are described in docs/results.md."""
        return self._json("summary.json")

    @cached_property
    def typed(self) -> SimulationSummary:
        """summary.json as a results.SimulationSummary."""
        return SimulationSummary.of(self.summary)

    @property
    def notes(self) -> list[str]:
        """What else to know of the run, in sentences."""
        return self.summary.get("notes", [])

    def to_xarray(self) -> xarray.Dataset:
        """Positions and velocities as an xarray Dataset with named dimensions and units."""
        try:
            import xarray
        except ImportError as error:
            raise ImportError("to_xarray needs xarray: pip install 'pithball[xarray]'") from error
        dimensions = ("time", "particle", "component")
        return xarray.Dataset(
            {
                "position": (dimensions, self.x, {"units": "m"}),
                "velocity": (dimensions, self.v, {"units": "m/s"}),
            },
            coords={
                "time": ("time", self.t, {"units": "s"}),
                "particle": np.arange(self.x.shape[1]),
                "component": list("xyz"),
            },
        )

    def show(self, every=None) -> matplotlib.axes.Axes:
        """The path of every particle in the plane of the two widest axes, drawn by matplotlib; returns the axes."""
        try:
            import matplotlib.pyplot as plt
        except ImportError as error:
            raise ImportError("show needs matplotlib: pip install 'pithball[plot]'") from error
        spread = np.nanmax(self.x, axis=(0, 1)) - np.nanmin(self.x, axis=(0, 1))
        first, second = sorted(np.argsort(spread)[-2:])
        axes = plt.figure().add_subplot()
        step = every or max(1, len(self.t) // 200)
        axes.plot(self.x[::step, :, first], self.x[::step, :, second], linewidth=0.8)
        axes.set_xlabel(f"{'xyz'[first]} [m]")
        axes.set_ylabel(f"{'xyz'[second]} [m]")
        axes.set_aspect("equal")
        return axes

    def __repr__(self):
        frames, particles, _ = self.x.shape
        text = f"Simulation: {self.status}, {frames} snapshots of {particles} particles, {self.t[0]:g} to {self.t[-1]:g} s"
        return text + (f"\n{self.explanation}" if self.explanation else "")


COLUMNS = ["initial", "estimate", "standard_error", "lower", "upper", "unit", "identifiable"]


def table_text(table):
    """A table as text with all of its columns, and its first and last rows where they are many."""
    return table.to_string(max_rows=20)


def number(stored, absent=np.nan):
    """A number of a result; null is what is not known, or has no end."""
    return absent if stored is None else stored


def interval(p):
    """The ends of a parameter's interval: ∓∞ where it has none, NaN where no standard error was computed."""
    open_ends = (np.nan, np.nan) if p["standard_error"] is None and p["interval"] == [None, None] else (-np.inf, np.inf)
    return [number(end, absent) for end, absent in zip(p["interval"], open_ends)]


def parameter_table(parameters):
    """Rows of fit.json as a DataFrame, names as index."""
    rows = {
        p["name"]: [p["initial"], p["estimate"], number(p["standard_error"]), *interval(p), p["unit"], p["identifiable"]]
        for p in parameters
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=COLUMNS).rename_axis("parameter")


FINDING_COLUMNS = ["recording", "kind", "fault", "answered", "marker", "frames", "number", "sentence", "key"]


class Fit(Run):
    """A finished fit. `fit["charge"]` is an estimate; all numbers are in SI units."""

    @property
    def result(self) -> dict:
        """fit.json as a dict; its keys are described in docs/results.md."""
        return copy.deepcopy(self._result)

    @cached_property
    def _result(self):
        return self._json("fit.json")

    @cached_property
    def typed(self) -> FitResult:
        """fit.json as a results.FitResult, whose attributes are its keys."""
        return FitResult.of(self.result)

    @property
    def ok(self) -> bool:
        """Whether the fit can be used as it stands: its status is "converged", or "predicted" if nothing was fitted."""
        return self.status in (RunStatus.CONVERGED, RunStatus.PREDICTED)

    @property
    def undetermined(self) -> list[str]:
        """Names of the parameters that the recordings do not determine."""
        return [name for name, known in self.to_pandas()["identifiable"].items() if not known]

    def _in_words_undetermined(self):
        names = self.undetermined if self.status != RunStatus.FAILED else []  # which has its own explanation
        remedy = "fix values, give priors, or record more"
        return [f"the recordings do not determine {', '.join(names)}; {remedy}"] if names else []

    def _doubts(self):
        return super()._doubts() + self._in_words_undetermined()

    @property
    def names(self) -> list[str]:
        """Names of the parameters, nuisance values last."""
        return [p["name"] for p in self._result["parameters"]]

    @property
    def notes(self) -> list[str]:
        """What else to know of the fit, in sentences."""
        return list(self._result["notes"])

    @property
    def findings(self) -> pd.DataFrame:
        """What screening found in the recordings before the search, faults and remarks, as a DataFrame.

        Columns: recording, kind, fault, answered (by a key of the file), marker, frames, number, sentence, key.
        """
        return pd.DataFrame(self._result.get("findings", []), columns=FINDING_COLUMNS)

    def to_pandas(self) -> pd.DataFrame:
        """initial, estimate, standard_error, lower, upper (ends of the interval), unit, identifiable; names as index.

        An interval without an end has ∞ there; NaN: not computed. After a fit that failed nothing is identifiable.
        """
        table = parameter_table(self._result["parameters"])
        return table.assign(identifiable=False) if self.status == RunStatus.FAILED else table

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self._result["parameters"])

    def __contains__(self, name) -> bool:
        return name in self.names

    def keys(self) -> list[str]:
        """The names, so that dict(fit) holds the estimates."""
        return self.names

    def _ipython_key_completions_(self):
        return self.names

    def __getitem__(self, name: str) -> float:
        for p in self._result["parameters"]:
            if p["name"] == name:
                return p["estimate"]
        raise KeyError(f"{name}; known are {', '.join(self.names)}")

    @property
    def covariance(self) -> pd.DataFrame:
        """Covariance of the estimates in the products of their units: correlation times the standard errors."""
        errors = np.array([number(p["standard_error"]) for p in self._result["parameters"]])
        correlation = np.array([[number(c) for c in row] for row in self._result["correlation"]], dtype=float)
        if correlation.size == 0:
            raise InvalidArgument.of("covariance", "must have been computed", "none", "fit at most 500 values")
        return pd.DataFrame(correlation * np.outer(errors, errors), self.names, self.names)

    def profile(self, name: str) -> pd.DataFrame:
        """Values and rises of χ² of one parameter's profile; fit with `profiles=[name]`."""
        for p in self._result["profile"]:
            if p["name"] == name:
                return pd.DataFrame(p["points"], columns=["value", "rise"])
        raise InvalidArgument.of("profile", f"must have been computed for {name}", "none", f"write fit(profiles=[{name!r}])")

    def diagnose(self, level: float = 0.01) -> Diagnosis:
        """What the model lacks, and where, without a refit, as `pithball diagnose`; a Diagnosis.

        level: candidates whose p, adjusted for the number of tests, is below it are significant. Reports of the fit
        show the result, too.
        """
        if not 0 < level < 1:
            raise InvalidArgument.of("level", "must be between 0 and 1", repr(level), "0.01 is usual")
        return Diagnosis(self._experiment()._document.diagnose(str(self._path()), level))

    def sample(self, draws=1000, tune=500, chains=4, seed=None, progress=None) -> arviz.InferenceData:
        """Draws from the posterior density of the parameters by NUTS, as ArviZ InferenceData; see pithball.sampling."""
        from .sampling import sample

        return sample(self, self._experiment().residual(), draws, tune, chains, seed, progress)

    def _experiment(self):
        """The experiment of the fit, as its run folder keeps it."""
        from .experiment import load

        require_same_files(self._path())
        return load(self._path("run.yaml"))

    @property
    def residuals(self) -> pd.DataFrame:
        """One row for each marker in each frame: recorded and model coordinates, of all recordings.

        Columns: recording, time, part ("fit" or "validation"), marker, recorded_x, …, model_x, …, residual_x, …
        (model − recorded) in the unit of the recording's kind.
        """
        return self._residuals.copy()

    @cached_property
    def _residuals(self):
        tables = []
        for recording in self._result["recordings"]:
            table = pd.read_csv(self._path(recording["markers"]), comment="#")
            table.insert(0, "recording", recording["name"])
            for column in [c for c in table.columns if c.startswith("recorded_")]:
                component = column.removeprefix("recorded_")
                table[f"residual_{component}"] = table[f"model_{component}"] - table[column]
            tables.append(table)
        if not tables:
            raise InvalidArgument.of("residuals", "must have been computed", f"a fit that {self.status}: {self.explanation}")
        return pd.concat(tables, ignore_index=True)

    def __repr__(self):
        text = f"Fit: {self.status}\n{table_text(self.to_pandas().drop(columns='initial'))}"
        for note in ([self.explanation] if self.explanation else []) + self._in_words_undetermined() + self.notes:
            text += f"\nnote: {note}"
        return text


def one(numbers):
    """The number of a list of one; longer lists as they are."""
    return numbers[0] if len(numbers) == 1 else numbers


class Diagnosis:
    """What the model of a fit lacks: tests of forces, values, elements and attachments that the fit holds."""

    def __init__(self, text):
        #: diagnosis.json as a dict; its keys are described in docs/results.md.
        self.result = json.loads(text)
        if self.result["failure"]:
            raise SimulationFailed(f"diagnose: {self.result['failure']}")

    @cached_property
    def typed(self) -> DiagnosisResult:
        """diagnosis.json as a results.DiagnosisResult."""
        return DiagnosisResult.of(self.result)

    @property
    def verdict(self) -> str:
        """The result in a sentence."""
        return self.result["verdict"]

    @property
    def lacking(self) -> list[str]:
        """Names of what the model lacks, the most significant first; empty: nothing was found."""
        rows = sorted((f["order"], f["name"]) for f in self.result["findings"] if f["order"])
        return [name for _, name in rows]

    def to_pandas(self) -> pd.DataFrame:
        """p, adjusted_p, gain in χ², the predicted value, the change of it with its standard_error, and unit; names as index.

        What is lacking comes first, then the smallest p. Vectors are lists; factors and attachments have no unit.
        """
        columns = ["p", "adjusted_p", "gain", "predicted", "change", "standard_error", "unit"]
        only = {key: [one(f[key]) if isinstance(f[key], list) else f[key] for f in self.result["findings"]] for key in columns}
        names = [f["name"] for f in self.result["findings"]]
        return pd.DataFrame(only, index=names).rename_axis("candidate")

    def __repr__(self):
        return f"Diagnosis: {self.verdict}\n{table_text(self.to_pandas().head(12))}"


class Prediction:
    """What recordings would determine, before a fit; as `pithball identify`."""

    def __init__(self, text):
        #: The JSON of `pithball identify --json` as a dict.
        self.result = json.loads(text)

    @cached_property
    def typed(self) -> IdentifyResult:
        """The same as a results.IdentifyResult."""
        return IdentifyResult.of(self.result)

    def to_pandas(self) -> pd.DataFrame:
        """Predicted standard errors and intervals, names as index."""
        rows = {
            p["name"]: [p["at"], number(p["standard_error"], np.inf), *interval(p), p["unit"], p["determination"]]
            for p in self.result["parameters"]
        }
        columns = ["at", "standard_error", "lower", "upper", "unit", "determination"]
        return pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("parameter")

    def __repr__(self):
        return "\n".join([table_text(self.to_pandas())] + [f"note: {note}" for note in self.result.get("notes", [])])


class Plan:
    """What several designs of the recordings would determine; as `pithball plan`."""

    def __init__(self, text, planned=""):
        #: The JSON of `pithball plan --json` as a dict.
        self.result = json.loads(text)
        #: The experiment with the optimized recordings, the text of planned.yaml; empty without `optimize`.
        self.planned = planned

    @cached_property
    def typed(self) -> PlanResult:
        """`result` as a results.PlanResult."""
        return PlanResult.of(self.result)

    @property
    def recordings(self) -> pd.DataFrame:
        """The optimized recordings, one row for each: rate [1/s], duration [s], frames, markers, set."""
        rows = self._design["recordings"]
        columns = ["rate", "duration", "frames", "markers", "set"]
        return pd.DataFrame([{name: row[name] for name in columns} for row in rows], index=[row["name"] for row in rows])

    @property
    def gains(self) -> pd.DataFrame:
        """Standard errors [SI units] before and with the optimized design, and their ratio, by parameter."""
        rows = {
            one["parameter"]: {name: np.inf if one[name] is None else one[name] for name in ("before", "optimized", "ratio")}
            for one in self._design["gains"]
        }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("parameter")

    @property
    def _design(self):
        if "optimized" not in self.result:
            raise AttributeError("the plan has no optimized design: use e.plan(optimize=True)")
        return self.result["optimized"]

    def to_pandas(self) -> pd.DataFrame:
        """Predicted standard errors [SI units], one row for each parameter, one column for each design."""
        columns = {
            one["name"]: {p["name"]: np.inf if p["standard_error"] is None else p["standard_error"] for p in one["parameters"]}
            for one in self.result["alternatives"]
        }
        return pd.DataFrame(columns).rename_axis("parameter")

    def __repr__(self):
        return table_text(self.to_pandas())
