"""Experiments: files, or nested mappings with the same keys."""

from __future__ import annotations

import copy
import hashlib
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from . import _pithball
from .changes import to_changes, to_document_text
from .errors import InvalidArgument
from .progress import is_wanted
from .recordings import kept, write_recording
from .residual import Residual
from .rollout import Rollout
from .run_folders import add_recordings
from .runs import Fit, Plan, Prediction, RunTarget, Simulation


def load(source: str | Path | Mapping, changes: Mapping[str, object] | None = None) -> Experiment:
    """An experiment from a file, or from nested mappings with the keys of such a file (`docs/keys.md`).

    changes: new values by path, {"system.charge": "40 nC", "forces.gravity": [0, 0, -1.62]}; text is read as in a file.
    File names in a mapping are relative to the current folder. Raises InvalidArgument with place and remedy.
    """
    pairs = tuple(to_changes(changes))
    if isinstance(source, Mapping):
        text, folder = to_document_text(source), os.getcwd()
        return Experiment(_pithball.Document.parse(text, "mapping", folder, pairs), _Source(folder, pairs, text=text))
    file = str(Path(source))
    document = _pithball.Document.load(file, pairs)
    return Experiment(document, _Source(os.path.abspath(file), pairs, digest=_digest(file)))


def _listed(free):
    """`free` as a list; raises InvalidArgument for what has no order, or would lose a part in a list."""
    if isinstance(free, str):
        raise InvalidArgument.of("free", "must be a list of names", repr(free), f"write free=[{free!r}]")
    if isinstance(free, Mapping):
        raise InvalidArgument.of("free", "must be a list of names or of mappings", "a mapping",
                                 "write free=[{'charge': {'share': 'none'}}, 'stiffness']; starts are changes of the file")
    if not isinstance(free, (list, tuple)):
        raise InvalidArgument.of("free", "must be a list, whose order is that of θ", type(free).__name__,
                                 "write free=['charge', 'stiffness']")
    return list(free)


#: Keys that say how the numbers of a file are read, with what they may be where a table in SI units takes its place.
READING_KEYS = {"scale": ("1", "1 m"), "axes": (), "up": ("z",), "rate": (), "columns": (), "missing": ("none",),
                "format": ("auto", "table", "long_table"), "header_line": ("1",), "first_data_line": ("0",)}


def _require_table_keys(number, keys):
    """Raises InvalidArgument where keys of `fit.recordings[number]` would read a table as what it is not."""
    for key, neutral in READING_KEYS.items():
        if key in keys and keys[key] not in neutral:
            raise InvalidArgument.of(f"fit.recordings.{number}.{key}",
                                     "must be absent where a table in SI units replaces the file",
                                     keys[key] or "a list or mapping", "remove it, or give the name of a file")


def _digest(file):
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


@dataclass(frozen=True)
class _Source:
    """What an experiment is of; by it another process, to which it was pickled, loads it again."""

    place: str  #: the file, or the folder of a mapping
    changes: tuple = ()  #: pairs of texts, in the order in which they apply
    text: str = None  #: of a mapping; None: of a file
    digest: str = ""  #: of the file

    @property
    def origin(self):
        return "mapping" if self.text is not None else self.place

    def load(self) -> Experiment:
        if self.text is not None:
            return Experiment(_pithball.Document.parse(self.text, "mapping", self.place, self.changes), self)
        experiment = Experiment(_pithball.Document.load(self.place, self.changes), self)
        if _digest(self.place) != self.digest:
            raise InvalidArgument.of(self.place, "must be as it was when the experiment was pickled", "other text", "pickle it again")
        return experiment


def _say(note):
    """What a fit has to say before its search, where a bar is shown; `Fit.notes` has it, too."""
    print(note, file=sys.stderr, flush=True)


def _keep_quiet(note):
    pass


class Experiment:
    """An experiment: everything that an experiment file says. Methods run it; they release the GIL.

    Experiments, rollouts and residuals can be pickled, for pools of processes; the files that they name must be there.
    """

    def __init__(self, document, source):
        self._document, self._source = document, source

    @property
    def _origin(self):
        return self._source.origin

    def __reduce__(self):
        return _Source.load, (self._source,)

    @property
    def name(self) -> str:
        """The experiment's name; empty if it has none, which no run accepts."""
        return self._document.name()

    def with_changes(self, changes: Mapping[str, object] | None) -> Experiment:
        """The same experiment with other values by path, as in `load`."""
        pairs = tuple(to_changes(changes))
        return Experiment(self._document.changed(pairs), replace(self._source, changes=self._source.changes + pairs))

    def filled(self) -> str:
        """The experiment as YAML text, with every default filled in."""
        return self._document.filled()

    def simulate(self, out: str | Path | None = None, overwrite: bool = False, progress: bool | None = None) -> Simulation:
        """Runs forward, as `pithball simulate`; a Simulation.

        out: the run folder, temporary if left out. progress: whether a bar is shown; if left out, in terminals and
        notebooks.
        """
        with RunTarget(out) as target:
            return target.finish(
                Simulation, self._document.simulate(self._origin, target.path, overwrite, is_wanted(progress))
            )

    def fit(self, free: list | tuple | None = None, recordings=None, profiles: Iterable[str] | None = None,
            out: str | Path | None = None, overwrite: bool = False, progress: bool | None = None) -> Fit:
        """Fits values to recordings, as `pithball fit`; a Fit.

        free: a list of names of values, or of mappings as in `fit.parameters`; the file's if left out. recordings: a pair
        (t, x) of arrays (T,) [s] and (T, M, 3) [m], NaN where a marker was not seen, a long table (pandas, or polars)
        with the columns time [s], marker, x, y, z [m], or a file, or a list of these, which take the place of the
        files of `fit.recordings`, whose other keys stay; the file's if left out. profiles: names of
        parameters whose profile is wanted. A fit that does not fit warns, and says so in `status`.
        """
        shown = is_wanted(progress)
        with RunTarget(out) as target, self._fit_document(free, kept(recordings), profiles) as (document, written):
            outcome = document.fit(self._origin, target.path, _say if shown else _keep_quiet, overwrite, shown)
            add_recordings(outcome["folder"], written)
            return target.finish(Fit, outcome)

    def residual(self, free: list | tuple | None = None, recordings=None) -> Residual:
        """What `fit` with the same arguments minimizes, for optimizers and samplers of others; a Residual."""
        return self._residual(copy.deepcopy(free), kept(recordings))

    def _residual(self, free, recordings):
        with self._fit_document(free, recordings) as (document, _):
            return Residual(document.residual(), (Experiment._residual, (self, free, recordings)))

    def identify(self, free: list | tuple | None = None, at: Fit | str | Path | None = None) -> Prediction:
        """What the recordings would determine, before a fit, as `pithball identify`; a Prediction.

        at: a Fit (or its folder) at whose estimates to judge; the start if left out.
        """
        document = self._document.changed(to_changes(self._fit_changes(free)))
        return Prediction(document.identify(str(getattr(at, "folder", at or ""))))

    def plan(self, alternatives=None, optimize=None, given=None) -> Plan:
        """Predicted standard errors of several designs of the recordings, as `pithball plan`; a Plan.

        alternatives: a mapping of names to changes by path, {"twice the rate": {"fit.recordings.0.planned.rate": 50}},
        or a list as in `plan.alternatives`; the file's if left out. The design as written is always the first.
        optimize: True to search for a better design, or what the search may change, as in `plan.optimize`:
        {"markers": {"choose": 16, "from": "all"}}. given: a finished Fit (or its folder) whose posterior is known.
        """
        if isinstance(alternatives, Mapping):
            alternatives = [{"name": name, "set": changes} for name, changes in alternatives.items()]
        changes = {} if alternatives is None else {"plan.alternatives": alternatives}
        if isinstance(optimize, Mapping):
            changes["plan.optimize"] = optimize
        document = self._document.changed(to_changes(changes))
        return Plan(*document.plan(optimize not in (None, False), str(getattr(given, "folder", given or ""))))

    def rollout(self, free: list | tuple | None = None) -> Rollout:
        """The motion as a function of the values `free` (names, or mappings as in `fit.parameters`); a Rollout."""
        free = copy.deepcopy(free)  # by which another process makes it again
        compiled = self._document.changed(to_changes(self._fit_changes(free))).rollout()
        return Rollout(compiled, (Experiment.rollout, (self, free)))

    @contextmanager
    def _fit_document(self, free, recordings, profiles=None):
        """The document with these parameters and kept recordings, and the files of those that are tables, which go with
        the context."""
        changes = self._fit_changes(free, profiles)
        with write_recording(recordings) as files:
            listed = self._document.listed_recordings()
            if files and len(files) != len(listed):
                raise InvalidArgument.of(
                    "recordings", "must replace the file of each one that `fit.recordings` lists",
                    f"{len(files)} for {len(listed)}", "give as many as that list has entries; "
                    "an entry is `{file: replaced, markers: [particle of each marker]}`")
            for number, (file, keys) in enumerate(zip(files, listed)):
                if file.is_written:
                    _require_table_keys(number, keys)
                changes[f"fit.recordings.{number}.file"] = file.path
            yield self._document.changed(to_changes(changes)), [file for file in files if file.is_written]

    @staticmethod
    def _fit_changes(free, profiles=None):
        changes = {}
        if free is not None:
            changes["fit.parameters"] = _listed(free)
        if profiles is not None:
            changes["fit.profiles"] = list(profiles)
        return changes

    def __repr__(self):
        return f"Experiment '{self.name}' from {self._origin}"


