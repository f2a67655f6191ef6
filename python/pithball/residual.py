"""The function that a fit minimizes, for optimizers and samplers of your own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .differentiable import Differentiable, gradient_numbers


class Residual(Differentiable):
    """The residuals r (R,) of a fit as a function of θ (P,), values in SI units.

    r holds simulated minus recorded values divided by their sigma, with the loss of the fit, followed by the residuals
    of the priors. A fit minimizes ½|r|²; with priors or a
    loss, and unless `fit.residual.absolute_sigma` is true, it also divides the residuals of recordings by their own
    scale, which r does not. Attributes: lower and upper bounds of θ, (P,); data_rows, the number of
    residuals before those of the priors; notes on the recordings. Raises SimulationFailed where a run fails, and
    InvalidArgument outside the bounds.

        r = e.residual(free=["charge", "stiffness"])
        scipy.optimize.least_squares(r, r.theta, r.jacobian, bounds=(r.lower, r.upper), x_scale="jac")
    """

    def __init__(self, compiled, made_by):
        super().__init__(compiled, made_by)
        self._bounds = compiled.lower, compiled.upper
        self.data_rows = compiled.data_rows
        self.notes = compiled.notes

    @property
    def lower(self) -> np.ndarray:
        """Lower bounds of θ, (P,); a copy."""
        return self._bounds[0].copy()

    @property
    def upper(self) -> np.ndarray:
        """Upper bounds of θ, (P,); a copy."""
        return self._bounds[1].copy()

    @property
    def shape(self) -> tuple[int]:
        """(R,)."""
        return (self._compiled.rows,)

    def __call__(self, theta=None) -> np.ndarray:
        """r at θ; at the start if left out."""
        return self._compiled.residual(self._theta(theta))

    def jacobian(self, theta=None) -> np.ndarray:
        """∂r/∂θ (R, P), by tangents."""
        theta = self._theta(theta)
        self._doubt(theta)
        return self._compiled.jacobian(theta)

    def vjp(self, theta=None) -> tuple[np.ndarray, Callable[..., np.ndarray]]:
        """r at θ, and the function g ↦ Jᵀg (P,), each call one adjoint pass."""
        theta = self._theta(theta)
        self._doubt(theta)
        return self(theta), lambda g: self._compiled.pull_back(theta, gradient_numbers(g, "gradient", self.shape))

    def jtj_product(self, theta, d) -> np.ndarray:
        """JᵀJ d (P,), without forming J."""
        theta = self._theta(theta)
        self._doubt(theta)
        return self._compiled.normal_product(theta, self._entries(d, "d"))

    def log_likelihood_and_grad(self, theta=None) -> tuple[float, np.ndarray]:
        """ln p(recordings | θ) up to a constant, and its gradient (P,), for independent Gaussian noise.

        With S the sum of squares of the n data residuals: −S/2 if `fit.residual.absolute_sigma` is true. Otherwise
        a common factor s of all sigmas is unknown; averaged over it with the density 1/s, it is −(n/2) ln S. Raises
        InvalidArgument for a robust loss.
        """
        theta = self._theta(theta)
        self._doubt(theta)
        return self._compiled.log_likelihood(theta)

    def log_prior_and_grad(self, theta=None) -> tuple[float, np.ndarray]:
        """ln p(θ) of the priors up to a constant, as a density of θ, and its gradient (P,); flat without priors."""
        return self._compiled.log_prior(self._theta(theta))

    def log_posterior_and_grad(self, theta=None) -> tuple[float, np.ndarray]:
        """The sum of both: ln p(θ | recordings) up to a constant, and its gradient (P,)."""
        parts = self.log_likelihood_and_grad(theta), self.log_prior_and_grad(theta)
        return sum(value for value, _ in parts), np.sum([gradient for _, gradient in parts], axis=0)

    def __repr__(self):
        return f"Residual of {', '.join(self.names)}: {self.shape[0]} numbers, {self.data_rows} of recordings"
