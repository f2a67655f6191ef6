"""From a film to detections, as `pithball track` finds them."""

from __future__ import annotations

import pandas as pd

from . import _pithball
from .errors import InvalidArgument
from .progress import is_wanted

COLUMNS = ["frame", "time", "x", "y", "variance_x", "covariance_xy", "variance_y", "size", "brightness", "snr"]


def track(film, out=None, *, spots="both", min_snr=5, sizes=(0.7, 16), region=None, background="none", still=None,
          rate=None, row_time=0, preview=None, progress=None) -> pd.DataFrame:
    """The spots of every frame of a film, as `pithball track` finds them; a DataFrame with a row for each detection.

    film: a film, or a pattern of images such as "frames/%04d.png". Columns: `frame` from 0, `time` [s], the center `x`
    (to the right) and `y` (down) [px] with `variance_x`, `covariance_xy` and `variance_y` [px²], `size` (RMS radius,
    radius of a ring) [px], `brightness` (integral of the fitted spot, negative: dark) and `snr`. Its `attrs` have the
    number of `frames`, `width` and `height` [px], the `pixel_aspect` (width of a pixel over its height), the `noise` of
    a pixel, its `gain` and the `covariance_factor`.

    out: also write the table to this new file. spots: "bright", "dark" or "both". min_snr: the least `snr`. sizes: the
    smallest and the largest `size`. region: (x, y, width, height) of the part that is searched. background: "median"
    subtracts the median of 25 frames. still: a part where spots stand still, whose scatter corrects the covariances.
    rate: frames per second instead of the film's time stamps; images need it. row_time: time between the exposure of
    one row and the next [s]. preview: a new file .mp4 or a new folder for frames with a circle around each detection.
    docs/film.md has more.
    Raises InvalidArgument if ffmpeg is missing, or OpenCV was when the package was built.
    """
    if spots not in ("bright", "dark", "both"):
        raise InvalidArgument.of("spots", "must be 'bright', 'dark' or 'both'", repr(spots))
    if background not in ("none", "median"):
        raise InvalidArgument.of("background", "must be 'none' or 'median'", repr(background))
    for name, part in (("region", region), ("still", still)):
        if part is not None and len(part) != 4:
            raise InvalidArgument.of(name, "must be (x, y, width, height)", repr(part))
    options = _pithball.TrackOptions()
    options.set_spots(spots != "dark", spots != "bright", min_snr)
    options.set_sizes(*sizes)
    options.set_regions(None if region is None else list(region), None if still is None else list(still))
    if background == "median":
        options.subtract_median()
    options.rate = rate
    options.row_time = row_time
    options.preview = "" if preview is None else str(preview)
    options.progress = is_wanted(progress)
    found = _pithball.track(str(film), options, "" if out is None else str(out))
    table = pd.DataFrame(found.pop("table"), columns=COLUMNS)
    table["frame"] = table["frame"].astype(int)
    table.attrs.update(found)
    return table
