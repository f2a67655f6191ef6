"""A rollout at its start is the simulation, to the last bit, for every value of the registry that a fit may change."""

import os
import subprocess
from pathlib import Path

import pithball as pb

PROGRAM = Path(os.environ.get("PITHBALL_PROGRAM", Path(__file__).resolve().parents[2] / "build/release/pithball"))

# Per particle and per spring the entries differ, cancel or are zero; there is a force for each value of the registry.
BODY = {
    "vertices": [[0, 0, 0], [0.31, 0, 0.02], [0.52, 0.1, -0.2], [0.73, 0.05, 0.1], [0.9, -0.1, 0.3]],
    "mass": [0.1, 0.23, 0.31, 0.17, 0.07],
    "charge": ["10 nC", "20 nC", "-30 nC", 0, "7 nC"],
    "velocities": [[0, 0, 0], [0.1, 0, -0.3], [0, 0, 0], [0.3, -0.7, 0.11], [0, 0.13, 0]],
    "springs": {
        "edges": [[0, 1], [1, 2], [2, 3], [3, 4]],
        "stiffness": [10, 40, 0, 7],
        "damping": [0.1, 0, 0.3, 0.7],
        "rest_length": [0.3, 0.2, 0.31, 0.23],
    },
}
RADII = [0.11, 0.23, 0.17, 0.19, 0.07]
OBSTACLE = {"radius": RADII, "stiffness": 30, "damping": 0.1, "tangential_damping": 0.2}
FORCES = [
    [{"gravity": [0.1, -0.3, -9.81]}, "coulomb", {"drag": {"linear": [0, 0.1, 0.03, 0.07, 0.2], "quadratic": RADII}}],
    [{"field_potential": {"expression": "0.3*x*x + z", "weight": weight}} for weight in ("mass", "charge", "none")],
    [{"screened_coulomb": {"relative_permittivity": 3, "screening_length": 0.7}}],
    [{"image_plane": {"point": [0, 0, -1], "normal": [0, 0, 1]}}],
    [{"chain_bending": {"stiffness": 0.3, "edges": "mesh"}}],
    ["newtonian_gravity", {"magnetic_field": [0, 0.1, 3]}],
    [{"electric_field": [0, 0, "50 kV/m"]}, {"electric_field": ["20 kV/m", 0, "-1 kV/m"]}],
    [{"point_charge": {"charge": q, "position": x}} for q, x in (("1 uC", [0, 1, 0]), ("-3 uC", [2, 0, 1]))],
    [{"applied_force": [0.1, 0, 0.2]}, {"applied_force": [0, 0, 0.3]}],
    [{"medium": {"radius": RADII, "viscosity": "0.1 Pa s", "density": "3 kg/m3", "gravity": [0, 0, -9.81]}}],
    [{"dry_friction": {"friction_force": RADII, "stiction_velocity": "1 cm/s"}}],
    [{"lennard_jones": {"epsilon": 1e-3, "sigma": 0.2}}, {"pair_potential": {"expression": "0.1*r^2", "cutoff": 1}}],
    [{"contact_penalty": {"radius": RADII, "stiffness": 30, "damping": 0.2}}],
    [
        {"plane_penalty": {"point": [0, 0, 0], "normal": [0, 0, 1], **OBSTACLE}},
        {"sphere_penalty": {"center": [0, 0, 0], "sphere_radius": 1, **OBSTACLE}},
        {"box_penalty": {"min": [-1, -1, -0.1], "max": [1, 1, 1], **OBSTACLE}},
    ],
]


def experiment(forces, **changes):
    body = {**BODY, **changes.pop("system", {})}
    steps = {"integrator": "velocity_verlet", "time_step": "1 ms", "duration": "40 ms", **changes.pop("simulation", {})}
    return pb.load({"name": "start", "system": body, "forces": forces, "simulation": steps, **changes})


def experiments():
    for forces in FORCES:
        yield experiment(forces)
    axial = {"edges": BODY["springs"]["edges"], "axial_stiffness": [3, 7, 0, 11], "rest_length": [0.3, 0.2, 0.31, 0.23]}
    yield experiment(["coulomb", {"gravity": [0, 0, -9.81]}], system={"charge_leak": {"rate": 3}, "springs": axial})
    plate = {"mesh": {"grid": {"size": [1, 1], "segments": [3, 2]}}, "mass": 0.1, "springs": {"stiffness": 30}}
    yield pb.load(
        {
            "name": "plate",
            "system": plate,
            "forces": [{"hinge_bending": {"stiffness": 0.1}}, {"gravity": [0, 0, -9.81]}],
            "simulation": {"integrator": "velocity_verlet", "time_step": "1 ms", "duration": "40 ms"},
        }
    )
    links = {"edges": [[0, 1], [1, 2], [3, 4]], "rest_length": [0.3, 0.2, 0.4]}
    yield experiment(
        [{"gravity": [0, 0, -9.81]}],
        system={"springs": "none"},
        simulation={"integrator": "xpbd"},
        constraints=[
            {"distance": {**links, "compliance": [0, 0.01, 0.3], "damping": [0, 0.1, 3]}},
            {"pin": {"vertices": [0, 4], "compliance": [0.01, 0.3], "damping": [0, 0.7]}},
        ],
    )
    yield experiment(
        ["coulomb"], key_frames=[{"charge": {"select": [1, 2], "times": [0, "40 ms"], "factors": [1, 0.3]}}]
    )


def values_to_fit():
    """Names of `pithball list parameters`, without those of recordings and those without derivatives."""
    text = subprocess.run([PROGRAM, "list", "parameters"], capture_output=True, text=True, check=True).stdout
    return {
        line.split()[0]
        for line in text.splitlines()
        if line.strip() and "not differentiable" not in line and "per recording" not in line
    }


def test_a_rollout_starts_at_the_simulation_whatever_is_free():
    seen = set()
    for e in experiments():
        run = e.simulate()
        for name in sorted(values_to_fit()):
            try:
                roll = e.rollout(free=[name])
            except pb.InvalidArgument as error:
                assert "which no force in this file has" in str(error) or "with springs" in str(error), str(error)
                continue
            x, v = roll.states()
            assert (x == run.x).all() and (v == run.v).all(), name
            seen.add(name)
    assert values_to_fit() - seen == set()
