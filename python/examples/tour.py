"""The package in a page: run it in this folder's experiment, or with a file of your own."""

from pathlib import Path

import numpy as np

import pithball as pb

demo = Path(__file__).resolve().parents[2] / "experiments/demo"
e = pb.load(demo / "charged-net.yaml", {"system.charge": "40 nC", "simulation.duration": "2 s"})

run = e.simulate()  # run.x (T, N, 3), run.t, run.energy
print(run)

fit = e.fit(free=["charge", "stiffness"])  # the recordings of the file
print(fit)
print(fit.to_pandas())
print(fit.covariance)
print(e.identify())

roll = e.rollout(free=["charge", "stiffness"])  # x as a function of θ
theta, dtheta = roll.theta, 0.01 * roll.theta
x, vjp = roll.vjp(theta)
dx = roll.jvp(theta, dtheta)
print(roll, "moves by", float(np.abs(dx).max()), "m")

target = np.array([0.3, 0.1, -0.4])
loss, grad = pb.value_and_grad(roll, lambda x: ((x[-1] - target) ** 2).sum())(theta)
print("loss", loss, "gradient", grad)

thetas = theta * np.linspace(0.9, 1.1, 8)[:, None]
batch = pb.map(roll, thetas)  # on all cores
print("a batch of", batch.shape)
