"""Many runs of one experiment: the plan folders of `pithball sweep`, worked off by any executor."""

from __future__ import annotations

import csv
import io
import math
import tempfile
import threading
import warnings
from collections.abc import Mapping
from concurrent.futures import Executor, as_completed
from pathlib import Path

import pandas as pd

from . import _pithball
from .errors import InvalidArgument, PithballWarning
from .experiment import Experiment, load
from .progress import Bar, is_wanted

#: An executor gets at most so many pieces of work; each has at least one task.
MOST_BLOCKS = 10_000

_opened = threading.local()


def sweep(source: Experiment | str | Path | Mapping, changes: Mapping[str, object] | None = None,
          out: str | Path | None = None, executor: Executor | None = None, progress: bool | None = None) -> pd.DataFrame:
    """Does the runs that the section `sweep:` of an experiment describes, as `pithball sweep` and `run`; a DataFrame.

    source: an experiment file, nested mappings, an Experiment, or a plan folder, whose missing tasks are then done.
    changes: new values by path, as in `load`. out: the plan folder to write, temporary if left out; one build works on a
    plan, so that the program can look at this one (`pithball collect`) but not go on with it. executor: a
    `concurrent.futures.Executor`, such as a process pool or Dask's `client.get_executor()`, whose workers have this
    package and see the plan folder; if left out, the runs are made here, one after the other. The rows are those of
    `collect`. Runs that are interrupted stay in the plan folder. Raises InvalidArgument for changes of a plan folder.
    """
    if isinstance(source, (str, Path)) and (Path(source) / "plan.json").exists():
        for name, given in (("changes", changes), ("out", out)):
            if given is not None:
                raise InvalidArgument.of(name, "must be left out for a plan folder, whose tasks are written", repr(given),
                                         "give the experiment file for a new plan")
        _do(Path(source), executor, is_wanted(progress))
        return collect(source)
    experiment = source.with_changes(changes) if isinstance(source, Experiment) else load(source, changes)
    with tempfile.TemporaryDirectory(prefix="pithball-") as temporary:
        folder = Path(out if out is not None else Path(temporary) / "plan").absolute()
        _pithball.write_plan(experiment._document, experiment._origin, str(folder))
        _do(folder, executor, is_wanted(progress))
        return collect(folder)


def collect(plan: str | Path) -> pd.DataFrame:
    """The results of a plan folder, one row for each task that has one, in the order of the tasks; a DataFrame.

    The columns are those of the program's table.csv, with the number of the task as index. A failed task has the status
    "failed" and its error. Failed and missing tasks are a warning. Raises InvalidArgument if there is no result.
    """
    table = _pithball.PlanFolder(str(plan)).table()
    verbs = {"failed": "failed", "missing": "have no result"}
    counts = [f"{table[kind]} tasks {verb}" for kind, verb in verbs.items() if table[kind]]
    if counts:
        warnings.warn(f"{plan}: {', '.join(counts)}", PithballWarning, stacklevel=2)
    head, *rows = csv.reader(io.StringIO(table["csv"]))
    return pd.DataFrame({name: _values(cells) for name, cells in zip(head, zip(*rows))}).set_index("task")


def _values(cells):
    """Whole numbers, numbers to the last bit, or texts; an empty cell is missing."""
    for kind in (int, lambda cell: float(cell) if cell else math.nan):
        try:
            return [kind(cell) for cell in cells]
        except ValueError:
            pass
    return [cell or None for cell in cells]


def _do(folder, executor, progress):
    plan = _pithball.PlanFolder(str(folder))
    plan.require_same_inputs()
    if executor is None:
        _require(plan.do_tasks(0, plan.tasks, progress))
        return
    count = min(plan.tasks, MOST_BLOCKS)
    edges = [plan.tasks * block // count for block in range(count + 1)]
    futures = [executor.submit(_do_block, str(folder), first, end) for first, end in zip(edges, edges[1:])]
    bar = Bar(f"sweep {plan.name}", count) if progress else None
    try:
        for done, future in enumerate(as_completed(futures), 1):
            future.result()
            if bar:
                bar.update(done)
    finally:
        for future in futures:
            future.cancel()
        if bar:
            bar.close()


def _do_block(folder, first, end):
    """What a worker does; each of its threads opens a plan once."""
    written = (folder, (Path(folder) / "plan.json").stat().st_mtime_ns)
    if getattr(_opened, "written", None) != written:
        _opened.plan, _opened.written = _pithball.PlanFolder(folder), written
    _require(_opened.plan.do_tasks(first, end))


def _require(completed):
    if not completed:
        raise KeyboardInterrupt("interrupted; what is done stays in the plan folder")
