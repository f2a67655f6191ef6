"""What rollouts and residuals have in common: functions of θ with a derivative in reverse mode."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from . import _pithball
from .errors import InvalidArgument, PithballWarning


def numbers(values, what, shape):
    """An array of doubles of this shape; raises InvalidArgument for another."""
    array = np.ascontiguousarray(values, dtype=float)
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


class Differentiable:
    """A function y(θ) of values θ (P,) in SI units, with Jᵀg by one adjoint pass.

    Attributes: names and units of the entries of θ, P; theta: the start, (P,); shape of y.
    """

    def __init__(self, compiled):
        self._compiled = compiled
        self.names = compiled.names
        self.units = compiled.units
        self.theta = compiled.start
        self._doubted = False
        self._warned = ""

    def _doubt(self, theta):
        """Warns where derivatives are not those of the motion: at the first θ at which one is wanted."""
        if self._doubted:
            return
        self._doubted = True
        for doubt in self._compiled.doubts(theta):
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
        return self.theta if theta is None else numbers(theta, "theta", self.theta.shape)

    def _rows(self, thetas):
        array = np.ascontiguousarray(thetas, dtype=float)
        if array.ndim != 2 or array.shape[1] != len(self.names):
            raise InvalidArgument.of("thetas", f"must have the shape (B, {len(self.names)})", str(array.shape))
        return array

    def map(self, thetas):
        """y (B, …) at each row of thetas (B, P), side by side on all cores."""
        with ThreadPoolExecutor(_pithball.max_threads()) as threads:  # the compiled part releases the GIL
            return np.stack(list(threads.map(self, self._rows(thetas))))

    def map_vjp(self, thetas, gradients):
        """Jᵀg (B, P) at each row of thetas (B, P) for each g of gradients (B, …), side by side on all cores."""
        rows = self._rows(thetas)
        gradients = gradient_numbers(gradients, "gradients", (len(rows), *self.shape))
        self._judge(rows)
        with ThreadPoolExecutor(_pithball.max_threads()) as threads:
            return np.stack(list(threads.map(lambda theta, g: self.vjp(theta)[1](g), rows, gradients)))
