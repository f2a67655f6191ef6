"""Potential and field of charges by FMM3D's fast multipole method."""

import numpy as np
from turns import introduce, read_input, take_turns

(fmm3dpy,) = introduce("fmm3dpy", "fmm3dpy")

given = read_input()
x = np.asfortranarray(np.transpose(given["body"]["x"]))
charge = np.asarray(given["body"]["charge"])
targets = given["targets"]
unit = 4 * np.pi * given["body"]["coulomb_constant"]  # FMM3D sums q/(4π r)


def evaluate(eps):
    sums = fmm3dpy.lfmm3d(eps=eps, sources=x, charges=charge, pg=2)
    return lambda: {"potential": (unit * sums.pot[targets]).tolist(), "field": (-unit * sums.grad[:, targets]).T.tolist()}


take_turns(evaluate)
