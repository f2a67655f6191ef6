"""Whether measured charges are whole multiples of one unit."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from . import _pithball
from .differentiable import real_numbers
from .errors import InvalidArgument


@dataclass(frozen=True)
class CommonUnit:
    """A common unit of measured values, and how well it is known; numbers in the unit of the values."""

    #: "resolved": the values are multiples of one unit. "ambiguous": they are no smooth set, but several units of the range
    #: fit. "not_resolved": a smooth set is as likely to look so, and a unit of the supposed size would probably have shown.
    #: "cannot_be_resolved": with these errors it would probably not have shown.
    status: str
    unit: float  #: the most probable unit
    error: float  #: its standard error, that of the scale included
    statistical_error: float  #: its standard error without that of the scale
    peak: float  #: largest value of the quantogram in the range
    p_value: float  #: probability of such a peak anywhere in the range if the values were a smooth set
    share: float  #: of the probability that `unit` has among all units of the range
    power: float  #: probability that a unit of the supposed size shows at the level, in its right place
    smallest_resolvable: float  #: unit of the range that is found with a probability of 0.9; nan: not even the largest
    multiples: np.ndarray  #: nearest multiple of `unit` for each value
    misfit: float  #: reduced χ² of the values about their multiples
    set_aside: int  #: values within three errors of zero, which tell of no unit


def common_unit(charges, errors, range, scale_error=0.0, supposed=None, level=0.01, simulations=2000, seed=1) -> CommonUnit:
    """Looks for the unit of which the charges are whole multiples, by Kendall's cosine quantogram; a CommonUnit.

    charges, errors: values of either sign and their independent standard errors, in one unit. range: the smallest and the
    largest unit that is sought, to be stated before one looks at the charges. scale_error: relative standard error of a
    factor that all charges share, as of the field strength; it widens the error of the unit. supposed: the unit of which
    `power` and the status speak; if left out, the one found. level: p-value up to which a peak is no chance. simulations,
    seed: of the sets of values that are drawn for the p-value, from a smooth alternative with the same errors.
    """
    search = _pithball.UnitSearch()
    try:
        search.low, search.high = (float(u) for u in range)
    except (TypeError, ValueError):
        raise InvalidArgument.of("range", "must be two units", repr(range), "for charges about e: (1e-19, 2.5e-19)") from None
    search.scale_error, search.level, search.simulations, search.seed = scale_error, level, simulations, seed
    search.supposed = math.nan if supposed is None else supposed
    found = _pithball.common_unit(_numbers(charges, "charges"), _numbers(errors, "errors"), search)
    return CommonUnit(**{**found, "multiples": np.array(found["multiples"], dtype=int)})


def quantogram(charges, errors, units) -> np.ndarray:
    """Kendall's cosine quantogram φ(u) = √(2/Σa²) Σ a cos(2πq/u) of charges q at each of the units u.

    a = exp(−2π²s²/u²) is what an error s leaves of the mean cosine of a multiple. For a smooth set of charges φ has the mean
    0 and the variance 1, for multiples of u the mean √(2Σa²).
    """
    given = (_numbers(values, what) for values, what in ((charges, "charges"), (errors, "errors"), (units, "units")))
    return _pithball.quantogram(*given)


def _numbers(values, what):
    return np.atleast_1d(real_numbers(values, what))
