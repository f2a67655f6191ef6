"""What rollouts and residuals have in common: functions of θ with a derivative in reverse mode."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd

from . import _pithball
from .errors import InvalidArgument, PithballWarning


def real_numbers(values, what):
    """An array of doubles; raises InvalidArgument where NumPy would drop a part: text, imaginary parts, a mask."""
    rows = values if isinstance(values, (list, tuple)) else [values]
    masked = any(isinstance(row, np.ma.MaskedArray) for row in rows)
    given = np.asarray(values)
    absent = given.dtype.kind == "O" and any(value is None for value in given.flat)  # NumPy would make it NaN
    if masked or absent or given.dtype.kind not in "buifO":
        kind = "a masked array" if masked else "None" if absent else f"an array of {given.dtype}"
        raise InvalidArgument.of(what, "must be real numbers", kind, "give an array of floats")
    try:
        return np.ascontiguousarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidArgument.of(what, "must be real numbers", str(error), "give an array of floats") from error


def numbers(values, what, shape):
    """An array of doubles of this shape; raises InvalidArgument for another."""
    array = real_numbers(values, what)
    if array.shape != shape:
        raise InvalidArgument.of(what, f"must have the shape {shape}", str(array.shape))
    return array


def gradient_numbers(values, what, shape):
    """The same of a gradient; raises InvalidArgument, too, where one of its numbers is not finite."""
    array = numbers(values, what, shape)
    if not np.isfinite(array).all():
        raise InvalidArgument.of(what, "must be finite", _first_not_finite(array), remedy_of_infinite_slopes)
    return array


#: What to do where a function has no finite derivative.
remedy_of_infinite_slopes = (
    "a square root, and so the norm of a difference, has no derivative at 0, nor has a quotient or a logarithm there: "
    "write the square, or add a small number inside"
)


def _first_not_finite(array):
    """\"nan at [5, 0, 2], the first of 3\"."""
    places = np.argwhere(~np.isfinite(array))
    place = tuple(int(i) for i in places[0])
    return f"{array[place]} at {list(place)}" + (f", the first of {len(places)}" if len(places) > 1 else "")


def _side_by_side(function, *rows):
    """function of each row as one array, on all cores: the compiled part releases the GIL."""
    with ThreadPoolExecutor(_pithball.max_threads()) as threads:
        calls = [threads.submit(function, *one) for one in zip(*rows)]
        try:
            return np.stack([call.result() for call in calls])
        except BaseException as error:
            threads.shutdown(wait=False, cancel_futures=True)
            if isinstance(error, KeyboardInterrupt):
                _pithball.stop_calls()
            raise


class Differentiable:
    """A function y(θ) of values θ (P,) in SI units, with Jᵀg by one adjoint pass.

    Attributes: names and units of the entries of θ, P; theta: the start, (P,); shape of y. θ may be a pandas Series with
    the names as index, in any order.
    """

    def __init__(self, compiled, made_by):
        self._compiled = compiled
        self._made_by = made_by  # a function and its arguments, by which another process makes it again
        self._names = list(compiled.names)
        self._units = list(compiled.units)
        self._start = compiled.start
        self._doubted = False
        self._warned = ""

    def __reduce__(self):
        return self._made_by

    @property
    def names(self) -> list[str]:
        """Names of the entries of θ, P; a copy."""
        return list(self._names)

    @property
    def units(self) -> list[str]:
        """Their units, P; a copy."""
        return list(self._units)

    @property
    def theta(self) -> np.ndarray:
        """The start, (P,); a copy, so that a search may change it in place."""
        return self._start.copy()

    def _doubt(self, theta):
        """Warns where derivatives are not those of the motion: at the first such θ of those at which one is wanted."""
        if self._doubted:
            return
        doubts = self._compiled.doubts(theta)  # without forces that begin at a touch, no run
        if self._doubted or not doubts:
            return
        self._doubted = True
        for doubt in doubts:
            warnings.warn(f"derivatives are doubtful: {doubt}", PithballWarning, stacklevel=4)

    def _warn(self, doubts):
        """Warns of motions that a simulation would warn of; doubts: why, for each motion, empty where nothing is wrong.

        What JAX and PyTorch ask for twice, for the value and for the gradient, is warned of once.
        """
        found = [doubt for doubt in doubts if doubt]
        if not found:
            return
        text = found[0] if len(doubts) == 1 else f"{len(found)} of {len(doubts)} motions, the first of them {found[0]}"
        if text != self._warned:
            self._warned = text
            warnings.warn(text, PithballWarning, stacklevel=4)

    def _judge(self, rows):
        """Warns of the motions at these rows of θ, unless they were run before, without derivatives."""

    def _theta(self, theta):
        return self.theta if theta is None else self._entries(theta, "theta")

    def _entries(self, given, what):
        """A number for each name, (P,), a copy: of a Series by its index, whatever its order."""
        if isinstance(given, pd.Series) and not isinstance(given.index, pd.RangeIndex):
            self._require_names(given.index, what, "index")
            given = given.loc[self._names]
        return numbers(given, what, self._start.shape).copy()

    def _require_names(self, labels, what, axis):
        if sorted(map(str, labels)) != sorted(self._names):
            raise InvalidArgument.of(what, f"must have the {axis} {self._names}", str(list(labels)),
                                     f"choose these {'rows' if axis == 'index' else axis}, or give an array in this order")

    def _rows(self, thetas):
        """Rows of θ (B, P): of a table by its columns, of Series by their indices, whatever their order."""
        if hasattr(thetas, "to_pandas"):  # polars
            thetas = thetas.to_pandas()
        if isinstance(thetas, pd.DataFrame) and not isinstance(thetas.columns, pd.RangeIndex):
            self._require_names(thetas.columns, "thetas", "columns")
            thetas = thetas[self._names]
        elif isinstance(thetas, (list, tuple)) and any(isinstance(row, pd.Series) for row in thetas):
            thetas = [self._entries(row, "thetas") for row in thetas]
        array = real_numbers(thetas, "thetas")
        if array.ndim != 2 or array.shape[1] != len(self.names):
            raise InvalidArgument.of("thetas", f"must have the shape (B, {len(self.names)})", str(array.shape))
        return array

    def map(self, thetas) -> np.ndarray:
        """y (B, …) at each row of thetas (B, P), side by side on all cores."""
        return _side_by_side(self, self._rows(thetas))

    def map_vjp(self, thetas, gradients) -> np.ndarray:
        """Jᵀg (B, P) at each row of thetas (B, P) for each g of gradients (B, …), side by side on all cores."""
        rows = self._rows(thetas)
        gradients = gradient_numbers(gradients, "gradients", (len(rows), *self.shape))
        self._judge(rows)
        return _side_by_side(lambda theta, g: self.vjp(theta)[1](g), rows, gradients)
