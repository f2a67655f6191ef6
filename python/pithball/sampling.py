"""Draws from the posterior of a fit by the No-U-Turn sampler of nutpie."""

import warnings

import numpy as np

from .errors import InvalidArgument, PithballWarning, SimulationFailed
from .progress import is_wanted
from .results import RunStatus


class _Unconstrained:
    """Values p between their bounds as functions of u on the whole line: p = u, a + e^u, b − e^u, a + (b − a)/(1 + e^−u)."""

    def __init__(self, lower, upper):
        self.lower, self.upper = lower, upper
        self.below, self.above = np.isfinite(lower), np.isfinite(upper)
        self.both = self.below & self.above

    def value(self, u):
        """p(u), dp/du and d ln(dp/du)/du, each (P,)."""
        p, slope, bend = u.copy(), np.ones_like(u), np.zeros_like(u)
        with np.errstate(over="ignore"):
            growth = np.exp(u)
        for one, sign, end in ((self.below, 1, self.lower), (self.above, -1, self.upper)):
            k = one & ~self.both
            p[k], slope[k], bend[k] = end[k] + sign * growth[k], growth[k], 1
        k = self.both
        part = 1 / (1 + np.exp(-np.clip(u[k], -700, 700)))
        width = self.upper[k] - self.lower[k]
        p[k], slope[k], bend[k] = self.lower[k] + width * part, width * part * (1 - part), 1 - 2 * part
        return p, slope, bend

    def inverse(self, p):
        """u(p) and dp/du."""
        u = p.copy()
        k = self.below & ~self.both
        u[k] = np.log(p[k] - self.lower[k])
        k = self.above & ~self.both
        u[k] = np.log(self.upper[k] - p[k])
        k = self.both
        u[k] = np.log((p[k] - self.lower[k]) / (self.upper[k] - p[k]))
        return u, self.value(u)[1]


class _NoMotion(Exception):
    """Ends a trajectory of the sampler where the model cannot be simulated; it counts as a divergence."""

    is_recoverable = True


class _Density:
    """ln of the posterior density of z, with p = p(u), u = center + spread z, and its gradient."""

    def __init__(self, residual, start, covariance):
        self.residual = residual
        self.values = _Unconstrained(residual.lower, residual.upper)
        self.center, slope = self.values.inverse(start)
        self.spread = np.linalg.cholesky(covariance / np.abs(np.outer(slope, slope)))

    def value(self, z):
        return self.values.value(self.center + self.spread @ z)[0]

    def __call__(self, z):
        p, slope, bend = self.values.value(self.center + self.spread @ z)
        try:
            density, gradient = self.residual.log_posterior_and_grad(p)
        except (SimulationFailed, InvalidArgument) as error:
            raise _NoMotion(str(error)) from error
        signed = np.where(self.values.above & ~self.values.both, -slope, slope)
        density += np.log(slope).sum()
        if not np.isfinite(density):
            raise _NoMotion("the density is not finite")
        return density, self.spread.T @ (gradient * signed + bend)


def _start(table, residual):
    """The estimates, those on a bound moved to the middle of their intervals."""
    start = table.estimate.to_numpy(dtype=float).copy()
    on_bound = (start <= residual.lower) | (start >= residual.upper)
    middle = (table.lower + table.upper).to_numpy(dtype=float) / 2
    start[on_bound] = middle[on_bound]
    return start, on_bound


def _covariance(fit, start, on_bound):
    """Of the estimates; of one on a bound as wide as its distance from it, alone."""
    covariance = fit.covariance.to_numpy().copy()
    table = fit.to_pandas()
    for k in np.flatnonzero(on_bound):
        covariance[k, :] = covariance[:, k] = 0
        covariance[k, k] = (start[k] - table.estimate.iloc[k]) ** 2
    scale = np.sqrt(np.diag(covariance))
    for k in np.flatnonzero(~(np.isfinite(scale) & (scale > 0))):
        raise InvalidArgument.of(
            "sample", f"must have data or a prior that determine {fit.names[k]}", "a posterior without an end",
            f"give {fit.names[k]} a prior",
        )
    return covariance


def sample(fit, residual, draws, tune, chains, seed, progress):
    """Draws from p(θ | recordings) ∝ likelihood × priors, as ArviZ InferenceData with one variable for each parameter.

    The likelihood is that of independent Gaussian noise (Residual.log_likelihood_and_grad), a prior-free value has a
    flat prior between its bounds. The sampler moves in coordinates in which the covariance of the fit is the identity.
    Warns where chains disagree (R̂ > 1.01), the effective sample size is below 100 a chain, or trajectories diverge, and
    where the fit itself says that its noise is not independent or that the model does not fit. `attrs` has r_hat,
    effective_sample_size, divergences. Raises InvalidArgument where the posterior has no end.
    """
    for name, number, least in (("draws", draws, 1), ("tune", tune, 0), ("chains", chains, 1)):
        if not isinstance(number, (int, np.integer)) or number < least:
            raise InvalidArgument.of(name, f"must be a whole number of at least {least}", repr(number))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # ArviZ announces its next version
            import arviz
            import nutpie
    except ImportError as error:
        raise ImportError("sample needs nutpie and arviz: pip install nutpie 'arviz<1'") from error
    table = fit.to_pandas()
    start, on_bound = _start(table, residual)
    density = _Density(residual, start, _covariance(fit, start, on_bound))
    names = [name.replace("/", " ") for name in residual.names]  # ArviZ writes groups of files
    model = nutpie.compiled_pyfunc.from_pyfunc(
        len(names),
        lambda: density,
        lambda *_: lambda z, **__: {name: np.array(p) for name, p in zip(names, density.value(z))},
        [np.dtype("float64")] * len(names),
        [()] * len(names),
        names,
        make_initial_point_fn=lambda number: np.random.default_rng(number).standard_normal(len(names)),
    )
    data = nutpie.sample(
        model, draws=draws, tune=tune, chains=chains, seed=seed, progress_bar=is_wanted(progress), save_warmup=False
    )
    if not _is_complete(data, names, draws, chains):  # nutpie takes Ctrl-C for an end before time
        raise KeyboardInterrupt("interrupted: the draws so far do not show the posterior")
    for name, unit in zip(names, residual.units):
        data.posterior[name].attrs["units"] = unit
    _judge(fit, data, chains, arviz)
    return data


def _is_complete(data, names, draws, chains):
    """Whether every chain has all of its draws."""
    sizes = data.posterior.sizes
    if sizes.get("draw", 0) < draws or sizes.get("chain", 0) < chains:
        return False
    return all(np.isfinite(data.posterior[name].values).all() for name in names)


def _judge(fit, data, chains, arviz):
    """Writes what is known of the draws, and warns where they should not be used as they stand."""
    ess = min(float(value) for value in arviz.ess(data).data_vars.values())
    r_hat = max(float(value) for value in arviz.rhat(data).data_vars.values()) if chains > 1 else float("nan")
    divergences = int(data.sample_stats["diverging"].sum())
    data.attrs.update(r_hat=r_hat, effective_sample_size=ess, divergences=divergences)
    doubts = []
    if chains > 1 and not r_hat <= 1.01:
        doubts.append(f"the chains disagree: R̂ = {r_hat:.3f}; draw more")
    if not ess >= 100 * chains:
        doubts.append(f"the effective sample size is {ess:.0f}, below {100 * chains}; draw more")
    if divergences:
        doubts.append(f"{divergences} trajectories diverged: the draws may miss a part of the posterior; a prior may help")
    errors = [p["standard_errors"] for p in fit.result["parameters"]]
    wider = max((e["robust"] / e["formal"] for e in errors if e["robust"] and e["formal"]), default=1)
    if fit.status == RunStatus.DOES_NOT_FIT:
        doubts.append("the model does not fit the recordings, so that its posterior says nothing of the values")
    elif wider > 1.5:
        doubts.append(
            f"the draws assume independent noise, and the fit finds errors up to {wider:.1f} times as large without "
            "that: use its intervals"
        )
    for doubt in doubts:
        warnings.warn(doubt, PithballWarning, stacklevel=4)
