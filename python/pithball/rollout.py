"""The motion as a function of values, with exact derivatives."""

import warnings

import numpy as np

from .errors import InvalidArgument


def _numbers(values, what, shape):
    array = np.ascontiguousarray(values, dtype=float)
    if array.shape != shape:
        raise InvalidArgument.of(what, f"must have the shape {shape}", str(array.shape))
    return array


class Rollout:
    """Positions x (T, N, 3) [m] of every snapshot as a function of θ (P,), values in SI units.

    Snapshots are those of a run: every `output.every` steps, and the last. Derivatives are those of the discrete steps,
    exact to rounding, for any number of values. A run that fails raises SimulationFailed. Python's threads may call it
    side by side.
    """

    def __init__(self, rollout):
        self._rollout = rollout
        #: Names of the entries of θ, P.
        self.names = rollout.names
        #: Their SI units.
        self.units = rollout.units
        #: θ as the experiment has it, (P,).
        self.theta = rollout.start
        #: Times of the snapshots [s], (T,).
        self.times = rollout.times
        #: Number of particles.
        self.particles = rollout.particles

    @property
    def shape(self):
        """(T, N, 3)."""
        return (len(self.times), self.particles, 3)

    def _theta(self, theta):
        return self.theta if theta is None else _numbers(theta, "theta", self.theta.shape)

    def __call__(self, theta=None):
        """x at θ; at the start if left out."""
        return self._rollout.run(self._theta(theta))[0]

    def states(self, theta=None):
        """Positions and velocities at θ, each (T, N, 3)."""
        return self._rollout.run(self._theta(theta))

    def vjp(self, theta=None):
        """x at θ, and the function g ↦ Jᵀg (P,) of g = dL/dx (T, N, 3); with velocities: vjp(gx, gv)."""
        recorded = self._rollout.record(self._theta(theta))

        def pull_back(gx=None, gv=None):
            given = [None if g is None else _numbers(g, "gradient", self.shape) for g in (gx, gv)]
            return recorded.pull_back(*given)

        return recorded.motion()[0], pull_back

    def jvp(self, theta, dtheta):
        """J dθ, the change of x along dθ, (T, N, 3)."""
        return self._rollout.push_forward(self._theta(theta), _numbers(dtheta, "dtheta", self.theta.shape))[0]

    def __repr__(self):
        return f"Rollout of {', '.join(self.names)}: x has the shape {self.shape}"


def map(rollout, thetas):  # noqa: A001 (pb.map reads as what it is)
    """x (B, T, N, 3) at each row of thetas (B, P), on all cores; the same numbers as one after the other."""
    array = np.ascontiguousarray(thetas, dtype=float)
    if array.ndim != 2 or array.shape[1] != len(rollout.names):
        raise InvalidArgument.of("thetas", f"must have the shape (B, {len(rollout.names)})", str(array.shape))
    return rollout._rollout.run_all(array)


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
        raise InvalidArgument.of("loss", "must use functions that autograd can differentiate", str(error),
                                 "write `import autograd.numpy as np`, or give loss_grad=") from error
    if node is None:
        raise InvalidArgument.of("loss", "must depend on x through functions that autograd can differentiate",
                                 "a number that does not", "use autograd.numpy without float() or np.asarray(), or "
                                 "give loss_grad=")
    if np.ndim(value) != 0:
        raise InvalidArgument.of("loss", "must be one number", f"an array of shape {np.shape(value)}", "sum it")
    return float(value), np.asarray(backward_pass(np.ones_like(value), node))


def value_and_grad(rollout, loss=None, loss_grad=None):
    """The function θ ↦ (L(x(θ)), dL/dθ): one recorded run and one adjoint pass, whatever the number of values.

    loss: a function of x (T, N, 3) made of autograd.numpy, which is differentiated in double precision. loss_grad:
    instead, a function that returns the pair (L, dL/dx).
    """
    if (loss is None) == (loss_grad is None):
        raise InvalidArgument.of("loss", "must be given, or loss_grad", "both" if loss else "neither")

    def evaluate(theta=None):
        x, pull_back = rollout.vjp(theta)
        value, gradient = loss_grad(x) if loss_grad else _differentiate(loss, x)
        return value, pull_back(gradient)

    return evaluate
