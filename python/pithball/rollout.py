"""The motion as a function of values, with exact derivatives."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from .differentiable import Differentiable, gradient_numbers
from .errors import InvalidArgument


class Rollout(Differentiable):
    """Positions x (T, N, 3) [m] of every snapshot as a function of θ (P,), values in SI units.

    Snapshots are those of a run: every `output.every` steps, and the last. Derivatives are those of the discrete steps,
    exact to rounding, for any number of values. A run that fails raises SimulationFailed, and one of which `simulate`
    would warn gives the same PithballWarning. Python's threads may call it side by side.
    """

    def __init__(self, compiled, made_by):
        super().__init__(compiled, made_by)
        self._seen = frozenset()  # θ, as bytes, of the motions that were run last
        self._times = compiled.times
        #: Number of particles.
        self.particles = compiled.particles

    @property
    def times(self) -> np.ndarray:
        """Times of the snapshots [s], (T,); a copy."""
        return self._times.copy()

    @property
    def shape(self) -> tuple[int, int, int]:
        """(T, N, 3)."""
        return (len(self._times), self.particles, 3)

    @property
    def velocities(self) -> Velocities:
        """The velocities [m/s] of the same snapshots as a function of θ; a Velocities."""
        return Velocities(self)

    def __call__(self, theta=None) -> np.ndarray:
        """x at θ; at the start if left out."""
        return self._run(theta)[0]

    def states(self, theta=None) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities at θ, each (T, N, 3)."""
        return self._run(theta)

    def map(self, thetas) -> np.ndarray:
        """x (B, T, N, 3) at each row of thetas (B, P), on all cores; the same numbers as one after the other."""
        return self._run_all(thetas)[0]

    def _run(self, theta):
        theta = self._theta(theta)
        x, v, doubt = self._compiled.run(theta)
        self._seen = frozenset([theta.tobytes()])
        self._warn([doubt])
        return x, v

    def _run_all(self, thetas):
        rows = self._rows(thetas)
        x, v, doubts = self._compiled.run_all(rows)
        self._seen = frozenset(row.tobytes() for row in rows)
        self._warn(doubts)
        return x, v

    def _judge(self, rows):
        if self._seen.issuperset(row.tobytes() for row in rows):
            return
        if len(rows) == 1:
            self._run(rows[0])
        else:
            self._run_all(rows)

    def _record(self, theta):
        """The recorded motion at θ, and the function (gx, gv) ↦ Jᵀg."""
        theta = self._theta(theta)
        self._judge([theta])
        self._doubt(theta)
        recorded = self._compiled.record(theta)

        def pull_back(gx=None, gv=None):
            given = [None if g is None else gradient_numbers(g, "gradient", self.shape) for g in (gx, gv)]
            return recorded.pull_back(*given)

        return recorded.motion(), pull_back

    def vjp(self, theta=None) -> tuple[np.ndarray, Callable[..., np.ndarray]]:
        """x at θ, and the function g ↦ Jᵀg (P,) of g = dL/dx (T, N, 3); with velocities: vjp(gx, gv)."""
        (x, _), pull_back = self._record(theta)
        return x, pull_back

    def jvp(self, theta, dtheta) -> np.ndarray:
        """J dθ, the change of x along dθ, (T, N, 3)."""
        return self._push_forward(theta, dtheta)[0]

    def _push_forward(self, theta, dtheta):
        theta = self._theta(theta)
        self._judge([theta])
        self._doubt(theta)
        return self._compiled.push_forward(theta, self._entries(dtheta, "dtheta"))

    def __repr__(self):
        return f"Rollout of {', '.join(self.names)}: x has the shape {self.shape}"


class Velocities(Differentiable):
    """Velocities v (T, N, 3) [m/s] of a Rollout's snapshots as a function of θ (P,)."""

    def __init__(self, rollout):
        super().__init__(rollout._compiled, (Velocities, (rollout,)))
        self._rollout = rollout
        self.shape = rollout.shape

    def __call__(self, theta=None) -> np.ndarray:
        """v at θ; at the start if left out."""
        return self._rollout.states(theta)[1]

    def map(self, thetas) -> np.ndarray:
        """v (B, T, N, 3) at each row of thetas (B, P), on all cores."""
        return self._rollout._run_all(thetas)[1]

    def _judge(self, rows):
        self._rollout._judge(rows)

    def vjp(self, theta=None) -> tuple[np.ndarray, Callable[..., np.ndarray]]:
        """v at θ, and the function g ↦ Jᵀg (P,) of g = dL/dv (T, N, 3)."""
        (_, v), pull_back = self._rollout._record(theta)
        return v, lambda g: pull_back(None, g)

    def jvp(self, theta, dtheta) -> np.ndarray:
        """J dθ, the change of v along dθ, (T, N, 3)."""
        return self._rollout._push_forward(theta, dtheta)[1]

    def __repr__(self):
        return f"Velocities of {', '.join(self.names)}: v has the shape {self.shape}"


def map(function, thetas) -> np.ndarray:  # noqa: A001 (pb.map reads as what it is)
    """function.map(thetas): a Rollout's x (B, T, N, 3) at each row of thetas (B, P), on all cores."""
    return function.map(thetas)


def _in_short(error):
    """What an error says, without the numbers of arrays."""
    text = " ".join(str(error).split())
    return text if len(text) <= 200 else text[:200] + "…"


def _differentiate(loss, x):
    """The loss of x and dL/dx by autograd."""
    from autograd.core import VJPNode, backward_pass
    from autograd.tracer import trace

    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Output seems independent of input")  # an error, below
            value, node = trace(VJPNode.new_root(), loss, x)
    except TypeError as error:
        if "ArrayBox" not in str(error):
            raise
        raise InvalidArgument.of("loss", "must use functions that autograd can differentiate", _in_short(error),
                                 "write `import autograd.numpy as np`, or give loss_grad=") from error
    if node is None:
        raise InvalidArgument.of("loss", "must depend on x through functions that autograd can differentiate",
                                 "a number that does not", "use autograd.numpy without float() or np.asarray(), or "
                                 "give loss_grad=")
    if np.ndim(value) != 0:
        raise InvalidArgument.of("loss", "must be one number", f"an array of shape {np.shape(value)}", "sum it")
    return float(value), np.asarray(backward_pass(np.ones_like(value), node))


def value_and_grad(function, loss=None, loss_grad=None) -> Callable[..., tuple[float, np.ndarray]]:
    """The function θ ↦ (L(x(θ)), dL/dθ): one recorded run and one adjoint pass, whatever the number of values.

    function: a Rollout, its velocities, or a Residual. loss: a function of x (T, N, 3) made of autograd.numpy, which is
    differentiated in double precision. loss_grad: instead, a function that returns the pair (L, dL/dx).
    """
    if (loss is None) == (loss_grad is None):
        raise InvalidArgument.of("loss", "must be given, or loss_grad", "both" if loss else "neither")

    def evaluate(theta=None):
        x, pull_back = function.vjp(theta)
        value, gradient = loss_grad(x) if loss_grad else _differentiate(loss, x)
        return value, pull_back(gradient_numbers(gradient, "the gradient of the loss", np.shape(x)))

    return evaluate
