"""Recordings that are tables in memory, written as files for the reading code."""

import math
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from .errors import InvalidArgument

COMPONENTS = ["x", "y", "z"]


def table_of_arrays(times, positions):
    """The arrays t (T,) and x (T, M, 3) of markers 0, 1, … as one row for each time; NaN: not seen."""
    t, x = np.array(times), np.array(positions)  # copies: what the caller writes into them later is not the recording
    has_numbers = t.dtype.kind in "uif" and x.dtype.kind in "uif"
    is_masked = any(isinstance(given, np.ma.MaskedArray) for given in (times, positions))
    has_shapes = t.ndim == 1 and x.ndim == 3 and x.shape[::2] == (len(t), 3) and x.size > 0
    if not has_numbers or is_masked or not has_shapes:
        raise InvalidArgument.of("recordings", "must be a pair (t, x) of real arrays of the shapes (T,) and (T, M, 3)",
                                 f"{'masked ' * is_masked}{t.dtype} {t.shape} and {x.dtype} {x.shape}",
                                 "write NaN where a marker was not seen")
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
    for column in ["time", *components]:
        if table[column].dtype.kind not in "uif":
            raise InvalidArgument.of("recordings", f"must have real numbers in the column '{column}'",
                                     str(table[column].dtype), "convert it by pandas.to_numeric; NaN: not seen")
    table = table.assign(marker=_names(table["marker"]))
    twice = table.duplicated(["time", "marker"])
    if twice.any():
        row = {column: table[column][twice].iloc[0] for column in ("time", "marker")}
        raise InvalidArgument.of("recordings", "must hold a marker once at each time",
                                 f"marker {row['marker']} again at {row['time']} s", "drop one of the rows")
    markers = list(dict.fromkeys(table["marker"]))
    if all(_is_number(m) for m in markers):
        markers.sort(key=float)
    wide = table.pivot(index="time", columns="marker", values=components).sort_index()
    wide = wide.reindex(columns=[(c, m) for m in markers for c in components])
    wide.columns = [f"{m}_{c}" for m in markers for c in components]
    return wide.rename_axis("t").reset_index()


def _names(markers):
    """Names of markers as texts; whole numbers that a table holds as floats, as whole numbers."""
    if markers.isna().any():
        raise InvalidArgument.of("recordings", "must name the marker of each row", "a row without one", "drop it, or name it")
    return [str(int(m)) if isinstance(m, float) and m.is_integer() else str(m) for m in markers]


def _is_number(name):
    try:
        return math.isfinite(float(name))
    except ValueError:
        return False


def kept(recordings):
    """The recordings as a list of names of files, from the root, and of tables that are nobody else's; None: the file's."""
    if recordings is None:
        return None
    is_one = is_pair_of_arrays(recordings) or not isinstance(recordings, (list, tuple))
    found = []
    for one in [recordings] if is_one else recordings:
        if isinstance(one, (str, Path)):
            found.append(str(Path(one).absolute()))
        else:
            found.append(table_of_arrays(*one) if is_pair_of_arrays(one) else wide_table(one))
    return found


@dataclass(frozen=True)
class RecordingFile:
    """A file that a fit reads."""

    path: str  #: from the root
    is_written: bool = False  #: of a table, and goes afterwards


@contextmanager
def write_recording(recordings):
    """The files of kept recordings: those that are tables are written, and go afterwards."""
    if recordings is None:
        yield []
        return
    with tempfile.TemporaryDirectory(prefix="pithball-recording-") as folder:
        files = []
        for number, one in enumerate(recordings):
            if isinstance(one, str):
                files.append(RecordingFile(one))
                continue
            file = Path(folder) / f"recording{number}.csv"
            one.to_csv(file, index=False, na_rep="")  # repr of doubles: to the last bit
            files.append(RecordingFile(str(file), is_written=True))
        yield files
