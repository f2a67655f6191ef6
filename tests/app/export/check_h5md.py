"""Checks a file against the H5MD 1.1 specification (structure, kinds, shapes, units) and prints complaints and contents."""
import json
import sys

import h5py
import numpy

file = h5py.File(sys.argv[1], "r")
complaints = []


def require(holds, complaint):
    if not holds:
        complaints.append(complaint)
    return holds


def text(attributes, name):
    value = attributes.get(name)
    return value.decode() if isinstance(value, bytes) else value


def has(path):
    return require(path in file, f"{path} is missing")


if has("h5md"):
    version = file["h5md"].attrs.get("version")
    require(version is not None and numpy.issubdtype(version.dtype, numpy.integer) and version.tolist() == [1, 1],
            "h5md@version is not [1, 1]")
    for part, names in (("author", ["name"]), ("creator", ["name", "version"])):
        if has(f"h5md/{part}"):
            for name in names:
                require(isinstance(text(file[f"h5md/{part}"].attrs, name), str), f"h5md/{part}@{name} is no text")
    if has("h5md/modules/units"):
        require("version" in file["h5md/modules/units"].attrs, "the units module has no version")

if has("particles"):
    for name, group in file["particles"].items():
        place = f"particles/{name}"
        if require("box" in group, f"{place}/box is missing"):
            box = group["box"].attrs
            dimension = int(box.get("dimension", 0))
            boundary = [b.decode() if isinstance(b, bytes) else b for b in box.get("boundary", [])]
            require(dimension == 3, f"{place}/box@dimension is not 3")
            require(len(boundary) == dimension and set(boundary) <= {"none", "periodic"}, f"{place}/box@boundary is wrong")
            require("edges" in group["box"] or "periodic" not in boundary, f"{place}/box/edges is missing")
        count = None
        for element, unit in (("position", "m"), ("velocity", "m s-1")):
            if not require(element in group and {"step", "time", "value"} <= set(group[element]),
                           f"{place}/{element} is no time-dependent element"):
                continue
            step, time, value = (group[element][part] for part in ("step", "time", "value"))
            require(value.ndim == 3 and value.shape[2] == 3, f"{place}/{element}/value is not [T][N][3]")
            require(step.shape == time.shape == value.shape[:1], f"{place}/{element}: step and time do not fit value")
            require(numpy.issubdtype(step.dtype, numpy.integer), f"{place}/{element}/step is not of integers")
            require(numpy.issubdtype(time.dtype, numpy.floating), f"{place}/{element}/time is not of floats")
            require(bool(numpy.all(numpy.diff(step[:]) > 0)), f"{place}/{element}/step does not increase")
            require(text(value.attrs, "unit") == unit, f"{place}/{element}/value@unit is not {unit}")
            require(text(time.attrs, "unit") == "s", f"{place}/{element}/time@unit is not s")
            count = value.shape[1]
        for element, unit in (("mass", "kg"), ("charge", "C")):
            if require(element in group, f"{place}/{element} is missing"):
                require(group[element].shape == (count,), f"{place}/{element} is not [N]")
                require(text(group[element].attrs, "unit") == unit, f"{place}/{element}@unit is not {unit}")

if has("connectivity/springs"):
    springs = file["connectivity/springs"]
    require(springs.ndim == 2 and springs.shape[1] == 2, "connectivity/springs is not [S][2]")
    reference = springs.attrs.get("particles_group")
    require(reference is not None and file[reference].name == "/particles/all", "the springs name no group of particles")

contents = {}
if not complaints:
    group = file["particles/all"]
    contents = {"steps": group["position/step"][:].tolist(), "times": group["position/time"][:].tolist(),
                "positions": group["position/value"][:].ravel().tolist(),
                "velocities": group["velocity/value"][:].ravel().tolist(), "mass": group["mass"][:].tolist(),
                "charge": group["charge"][:].tolist(), "springs": file["connectivity/springs"][:].ravel().tolist()}
json.dump({"complaints": complaints, **contents}, sys.stdout)
