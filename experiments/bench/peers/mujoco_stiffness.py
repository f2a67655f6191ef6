"""One stiffness from a captured motion, by MuJoCo's own system identification, `mujoco.sysid`.

A particle is a body on three slide joints, a spring a spatial tendon between sites, a step MuJoCo's RK4. What a net of
masses does not need is off: contacts and constraints.
"""

import numpy as np
from turns import introduce, read_input, take_turns

# Where something is missing that it needs, mujoco.sysid is there, but empty: its report is what imports last.
mujoco, sysid, _ = introduce("mujoco", "mujoco", "mujoco.sysid", "mujoco.sysid.report.defaults")

given = read_input()
body = given["body"]
pinned = set(body["pinned"])
free = [i for i in range(len(body["x"])) if i not in pinned]


def make_spec():
    spec = mujoco.MjSpec()
    spec.option.timestep = given["time_step"]
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    spec.option.gravity = body["gravity"]
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    for i, (place, mass) in enumerate(zip(body["x"], body["mass"])):
        held = i in pinned
        particle = spec.worldbody.add_body(pos=place if held else [0, 0, 0])
        particle.add_site(name=f"p{i}")
        if held:
            continue
        particle.mass, particle.inertia, particle.explicitinertial = mass, [mass] * 3, True
        for axis in np.eye(3):
            particle.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
    for (i, j), length in zip(body["springs"], body["rest_length"]):
        spring = spec.add_tendon(springlength=[length, length])
        spring.wrap_site(f"p{i}")
        spring.wrap_site(f"p{j}")
    return spec


def set_stiffness(spec, parameter):
    for spring in spec.tendons:
        spring.stiffness = [parameter.value[0], 0, 0]  # of a linear spring


spec = make_spec()
model = spec.compile()
start = sysid.create_initial_state(model, *(np.ravel([body[key][i] for i in free]) for key in ("x", "v")))
frames = np.asarray(given["frames"])  # numbers of steps
recorded = np.reshape(given["positions"], (len(frames), -1))
times = given["time_step"] * np.arange(frames[-1] + 1)
nothing = sysid.TimeSeries(times, np.zeros((len(times), 0)), {})
sequences = [sysid.ModelSequences("net", spec, "motion", start, nothing, nothing)]


def misfit(params, predicted, measured, model, return_pred_all, state, **_):
    """(simulated − recorded)/σ; a row of `state` is time, positions and velocities after a step."""
    x = np.vstack([start[1:1 + model.nq], state[:, 1:1 + model.nq]])[frames]
    return (x - recorded) / given["sigma"], predicted, measured


residual = sysid.build_residual_fn(models_sequences=sequences, modify_residual=misfit, n_threads=1)


def wanted(at):
    low, high = given["bounds"]
    return sysid.ParameterDict({"stiffness": sysid.Parameter("stiffness", at, low, high, modifier=set_stiffness)})


def fit():
    """The search, and the error of what it found."""
    found, result = sysid.optimize(wanted(given["stiffness"]), residual, verbose=False)
    rest, _, _ = residual(result.x, found)
    covariance, _ = sysid.calculate_intervals(rest, result.jac)

    def answer():
        first, _, _ = residual(np.array([given["stiffness"]]), wanted(given["stiffness"]))
        return {"stiffness": float(result.x[0]), "error": float(covariance[0, 0]) ** 0.5,
                "start_misfit": float(np.linalg.norm(first))}

    return answer


take_turns(fit)
