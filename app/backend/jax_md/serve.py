"""Steps bodies of masses, springs and charges by JAX MD, and differentiates through the steps.

A conversation in lines of JSON: requests on standard input, replies on standard output, until the input ends. The
first reply says who is there: {"jax_md": VERSION, "jax": VERSION}. A request has a "task":

  simulate          state after each of the wanted steps, one line {"x": …, "v": …} each,
                    then {"seconds": …, "compile_seconds": …}
  charge_loss       {"loss": L, "gradient": dL/dq, "seconds": …, "compile_seconds": …} at one charge q
  estimate_charge   {"charge": q, "loss": L, "converged": …, "evaluations": …, "seconds": …, "compile_seconds": …}

and a "body" (see `Body`), "time_step" [s] and "steps", numbers of the wanted steps in ascending order. The loss is

  L(q) = 1/n Σ_i |x_i(q) − target_i|²  [m²]

over the final positions x(q) of a run in which every charged particle has the charge q. Its derivative is JAX's, by
reverse accumulation through all steps. Requests and replies are in SI units; arrays in replies are little-endian
float64 in base64, row by row, so that every bit arrives. "seconds" are those of the steps alone, after compilation.
"""

import base64
import json
import sys
import time
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version

import jax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")

import jax.numpy as jnp  # noqa: E402  (after the choice of precision)
import numpy as np  # noqa: E402
from jax_md import energy, simulate, smap, space  # noqa: E402

displacement, shift = space.free()


def array(values, width=None):
    """A float64 array of JAX; JAX MD rounds anything else to float32."""
    values = jnp.asarray(values, dtype=jnp.float64)
    return values.reshape(-1, width) if width else values


@dataclass
class Body:
    """What a request says about the body: lists of numbers, n particles and s springs."""

    x: list  # n×3 [m]
    v: list  # n×3 [m/s]
    mass: list  # n [kg]
    charge: list  # n [C]
    pinned: list  # numbers of the particles that stay where they are
    springs: list  # s×2 numbers of particles
    stiffness: list  # s [N/m]
    rest_length: list  # s [m]
    coulomb_constant: float  # [N m²/C²]
    coulomb: bool  # the charges act on each other
    softening: float  # ε in 1/√(r² + ε²) [m]
    resting_charges: list  # [[charge [C], x, y, z [m]], …]
    gravity: list  # [m/s²]
    electric_field: list  # [V/m]

    def energy(self):
        """The potential energy [J] as a function of positions (n×3) and charges (n)."""
        springs = self.spring_energy()
        resting = array(self.resting_charges, 4)
        mass, gravity, field = array(self.mass), array(self.gravity), array(self.electric_field)

        def pair(dr, charge):  # dr is 0 on the diagonal, which smap leaves out
            rho = jnp.sqrt(jnp.where(dr > 0, dr**2, 1.0) + self.softening**2)
            return self.coulomb_constant * charge / rho

        def total(x, charge):
            u = springs(x) - jnp.sum(mass * (x @ gravity)) - jnp.sum(charge * (x @ field))
            if self.coulomb:
                u += smap.pair(pair, space.metric(displacement), charge=(lambda a, b: a * b, charge))(x)
            for q, *place in resting:
                u += self.coulomb_constant * q * jnp.sum(charge / space.distance(x - jnp.stack(place)))
            return u

        return total

    def spring_energy(self):
        """Σ k/2 (l − l0)² as a function of positions, by JAX MD; 0 without springs."""
        if not self.springs:
            return lambda x: 0.0
        return energy.simple_spring_bond(
            displacement,
            jnp.asarray(self.springs),
            length=array(self.rest_length),
            epsilon=array(self.stiffness),
        )


class Motion:
    """The steps of a body by `jax_md.simulate.nve`, its velocity Verlet.

    The unit of time is one step: JAX MD rounds its time step to float32, and 1 is exact. Masses are then m/h²,
    momenta m v/h; energies and forces stay what they are.
    """

    def __init__(self, body, time_step):
        self.time_step = time_step
        self.x = array(body.x, 3)
        self.mass = array(body.mass) / time_step**2
        self.momentum = self.mass[:, None] * array(body.v, 3) * time_step
        self.charge = array(body.charge)
        free = np.ones((len(body.mass), 1))
        free[np.asarray(body.pinned, dtype=int)] = 0
        self.force = jax.grad(lambda x, charge: -jnp.sum(body.energy()(x, charge)))
        self.free = jnp.asarray(free)

    def scheme(self, charge):
        return simulate.nve(lambda x, **_: self.free * self.force(x, charge), shift, dt=1.0)

    def start(self, charge):
        init, _ = self.scheme(charge)
        return init(jax.random.PRNGKey(0), self.x, kT=0.0, mass=self.mass, momenta=self.free * self.momentum)

    def advance(self, state, charge, steps):
        """`steps` further steps."""
        _, step = self.scheme(charge)
        # Snapshots only at the ends of steps: what lies between is computed again by a derivative, for memory's sake.
        again = jax.checkpoint(lambda s: step(s))
        return jax.lax.scan(lambda s, _: (again(s), None), state, None, length=steps)[0]

    def velocity(self, state):
        return state.momentum / self.mass[:, None] / self.time_step

    def final(self, charge, steps):
        """Positions after all steps."""
        return self.advance(self.start(charge), charge, steps).position


class Stopwatch:
    """Adds up the time of calls that have come back with their numbers."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self, function, *arguments):
        begin = time.perf_counter()
        result = jax.block_until_ready(function(*arguments))
        self.seconds += time.perf_counter() - begin
        return result


def encoded(values):
    return base64.b64encode(np.asarray(values, dtype="<f8").tobytes()).decode()


def reply(**content):
    print(json.dumps(content), flush=True)


def run_simulate(request):
    motion = Motion(Body(**request["body"]), request["time_step"])
    compiling, stepping = Stopwatch(), Stopwatch()
    state, charge = motion.start(motion.charge), motion.charge
    compiled = {}
    reached = 0
    for wanted in request["steps"]:
        steps = wanted - reached
        if steps not in compiled:
            advance = jax.jit(partial(motion.advance, steps=steps))
            compiled[steps] = compiling(lambda: advance.lower(state, charge).compile())
        state = stepping(compiled[steps], state, charge)
        reached = wanted
        reply(x=encoded(state.position), v=encoded(motion.velocity(state)))
        if not bool(jnp.isfinite(state.position).all() & jnp.isfinite(state.momentum).all()):
            break
    reply(seconds=stepping.seconds, compile_seconds=compiling.seconds)


class ChargeLoss:
    """The loss and its derivative, compiled; counts its evaluations."""

    def __init__(self, request):
        motion = Motion(Body(**request["body"]), request["time_step"])
        target, steps = array(request["target"], 3), request["steps"][-1]
        charged = motion.charge != 0

        def loss(q):
            x = motion.final(jnp.where(charged, q, 0.0), steps)
            return jnp.mean(jnp.sum((x - target) ** 2, axis=1))

        self.compiling, self.running = Stopwatch(), Stopwatch()
        with_gradient = jax.jit(jax.value_and_grad(loss))
        self.compiled = self.compiling(lambda: with_gradient.lower(array(1.0)).compile())
        self.evaluations = 0

    def __call__(self, q):
        self.evaluations += 1
        loss, gradient = self.running(self.compiled, array(q))
        return float(loss), float(gradient)

    def times(self):
        return {"seconds": self.running.seconds, "compile_seconds": self.compiling.seconds}


def run_charge_loss(request):
    loss = ChargeLoss(request)
    value, gradient = loss(request["charge"])
    reply(loss=encoded(value), gradient=encoded(gradient), **loss.times())


def run_estimate_charge(request):
    """Minimizes the loss by SciPy's L-BFGS-B within the bounds, in units of the starting charge."""
    from scipy.optimize import minimize

    loss = ChargeLoss(request)
    unit = request["charge"]

    def scaled(theta):
        value, gradient = loss(theta[0] * unit)
        if not (np.isfinite(value) and np.isfinite(gradient)):
            return np.inf, np.zeros(1)  # the run diverged: no minimum there
        return value, np.array([gradient * unit])

    bounds = sorted(q / unit for q in request["bounds"])
    found = minimize(scaled, np.ones(1), jac=True, method="L-BFGS-B", bounds=[bounds],
                     options={"maxiter": request["iterations"], "ftol": 1e-15, "gtol": 1e-12})
    converged = bool(found.success and np.isfinite(found.fun))
    reply(charge=encoded(found.x[0] * unit), loss=encoded(found.fun), converged=converged,
          evaluations=loss.evaluations, **loss.times())


TASKS = {"simulate": run_simulate, "charge_loss": run_charge_loss, "estimate_charge": run_estimate_charge}


def main():
    reply(jax_md=version("jax-md"), jax=jax.__version__)
    for line in sys.stdin:
        request = json.loads(line)
        TASKS[request["task"]](request)


if __name__ == "__main__":
    main()
