"""Recordings that are tables in memory, written as files for the reading code."""

import tempfile
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from .errors import InvalidArgument

COMPONENTS = ["x", "y", "z"]


def wide_table(table):
    """A long table (time, marker, x, y, z) as one row for each time: columns t, and x, y, z of each marker.

    Rows may stand in any order; a marker without a row at some time was not seen there. Markers are in the order of
    their numbers or, unless all are numbers, of their first rows.
    """
    if hasattr(table, "to_pandas"):  # polars
        table = table.to_pandas()
    if not isinstance(table, pd.DataFrame):
        raise InvalidArgument.of("recordings", "must be a table, the name of a file, or a list of both",
                                 type(table).__name__, "make a table of it: pandas.DataFrame(…)")
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
    several = recordings if isinstance(recordings, (list, tuple)) else [recordings]
    with tempfile.TemporaryDirectory(prefix="pithball-recording-") as folder:
        files = []
        for number, one in enumerate(several):
            if isinstance(one, (str, Path)):
                files.append(str(Path(one).absolute()))
                continue
            file = Path(folder) / f"recording{number}.csv"
            wide_table(one).to_csv(file, index=False, na_rep="")  # repr of doubles: to the last bit
            files.append(str(file))
        yield files

