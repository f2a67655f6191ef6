"""The package in a page: the README's demo, from Python."""

from pathlib import Path

import numpy as np
import pandas as pd

import pithball as pb

demo = Path(__file__).resolve().parents[2] / "experiments/demo"
e = pb.load(demo / "charged-net.yaml", {"system.charge": "40 nC", "simulation.duration": "2 s"})

run = e.simulate()  # run.x (T, N, 3), run.t, run.energy
print(run)

fit = e.fit(free=["charge", "stiffness"])  # the recordings of the file
print(fit)
print(fit.to_pandas())
print(fit.covariance)
print(fit.residuals.head())

# The same recording as a table of your own: one row for each marker at each time.
wide = pd.read_csv(demo / "tracks.csv", comment="#")
columns = wide.columns[1:].to_numpy().reshape(-1, 3)  # x, y, z of each marker
df = pd.concat(
    [
        pd.DataFrame({"time": wide.iloc[:, 0], "marker": m, **dict(zip("xyz", wide[list(names)].to_numpy().T))})
        for m, names in enumerate(columns)
    ]
)
print("the same estimates:", e.fit(free=["charge", "stiffness"], recordings=df).to_pandas().estimate.to_dict())

print(e.identify())
print(e.plan([{"name": "half the noise", "set": {"fit.residual.sigma": "2.5 mm"}}]))

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

residual = e.residual(free=["charge", "stiffness"])  # what the fit minimizes, for optimizers of others
print(residual, "log likelihood and gradient", residual.log_likelihood_and_grad(theta))
