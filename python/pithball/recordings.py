"""Recordings that are tables in memory, written as files for the reading code."""

import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd

from .errors import InvalidArgument

COMPONENTS = ["x", "y", "z"]


def table_of_arrays(times, positions):
    """The arrays t (T,) and x (T, M, 3) of markers 0, 1, … as one row for each time; NaN: not seen."""
    t, x = np.asarray(times), np.asarray(positions)
    has_numbers = t.dtype.kind in "uif" and x.dtype.kind in "uif"
    if not has_numbers or isinstance(positions, np.ma.MaskedArray) or t.ndim != 1 or x.ndim != 3 or x.shape[::2] != (len(t), 3):
        raise InvalidArgument.of("recordings", "must be a pair (t, x) of real arrays of the shapes (T,) and (T, M, 3)",
                                 f"{t.dtype} {t.shape} and {x.dtype} {x.shape}", "write NaN where a marker was not seen")
    columns = [f"{m}_{c}" for m in range(x.shape[1]) for c in COMPONENTS]
    return pd.concat([pd.Series(t, name="t"), pd.DataFrame(x.reshape(len(t), -1), columns=columns)], axis=1)


def is_pair_of_arrays(one):
    """Whether this is (t, x), not a list of two recordings."""
    return isinstance(one, tuple) and len(one) == 2 and all(isinstance(each, np.ndarray) for each in one)


def wide_table(table):
    """A long table (time, marker, x, y, z) as one row for each time: columns t, and x, y, z of each marker.

    Rows may stand in any order; a marker without a row at some time was not seen there. Markers are in the order of
    their numbers or, unless all are numbers, of their first rows.
    """
    if hasattr(table, "to_pandas"):  # polars
        table = table.to_pandas()
    if not isinstance(table, pd.DataFrame):
        raise InvalidArgument.of("recordings", "must be a pair (t, x), a table, the name of a file, or a list of these",
                                 type(table).__name__, "give arrays as a pair (t, x) of the shapes (T,) and (T, M, 3)")
    components = [c for c in COMPONENTS if c in table.columns]
    for column in ["time", "marker", *(components or ["x"])]:
        if column not in table.columns:
            raise InvalidArgument.of("recordings", f"must have a column '{column}'", f"columns {list(table.columns)}",
                                     "a long table has the columns time, marker, x, y, z")
    twice = table.duplicated(["time", "marker"])
    if twice.any():
        row = {column: table[column][twice].iloc[0] for column in ("time", "marker")}
        raise InvalidArgument.of("recordings", "must hold a marker once at each time",
                                 f"marker {row['marker']} again at {row['time']} s", "drop one of the rows")
    markers = list(dict.fromkeys(table["marker"]))
    if all(str(m).isdecimal() for m in markers):
        markers.sort(key=int)
    wide = table.pivot(index="time", columns="marker", values=components).sort_index()
    wide = wide.reindex(columns=[(c, m) for m in markers for c in components])
    wide.columns = [f"{m}_{c}" for m in markers for c in components]
    return wide.rename_axis("t").reset_index()


@contextmanager
def write_recording(recordings):
    """Names of files that hold the recordings: those that are tables are written, and go afterwards."""
    if recordings is None:
        yield []
        return
    is_one = is_pair_of_arrays(recordings) or not isinstance(recordings, (list, tuple))
    several = [recordings] if is_one else recordings
    with tempfile.TemporaryDirectory(prefix="pithball-recording-") as folder:
        files = []
        for number, one in enumerate(several):
            if isinstance(one, (str, Path)):
                files.append(str(Path(one).absolute()))
                continue
            file = Path(folder) / f"recording{number}.csv"
            table = table_of_arrays(*one) if is_pair_of_arrays(one) else wide_table(one)
            table.to_csv(file, index=False, na_rep="")  # repr of doubles: to the last bit
            files.append(str(file))
        yield files

