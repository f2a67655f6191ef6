"""Prints what VTK finds in a ParaView series (.pvd): for each frame its time, points, cells in VTK's order, and data."""
import json
import math
import os
import sys
import xml.etree.ElementTree as ElementTree

import vtk
from vtk.util.numpy_support import vtk_to_numpy

CELLS = {vtk.VTK_VERTEX: "vertex", vtk.VTK_POLY_VERTEX: "vertex", vtk.VTK_LINE: "line", vtk.VTK_POLY_LINE: "line",
         vtk.VTK_TRIANGLE: "polygon", vtk.VTK_QUAD: "polygon", vtk.VTK_POLYGON: "polygon"}


def numbers(array):
    return [None if isinstance(x, float) and math.isnan(x) else x for x in vtk_to_numpy(array).ravel().tolist()]


def data(attributes):
    return {attributes.GetArrayName(k): numbers(attributes.GetArray(k)) for k in range(attributes.GetNumberOfArrays())}


def cell(poly, k):
    found = poly.GetCell(k)
    return {"kind": CELLS[found.GetCellType()], "points": [found.GetPointId(p) for p in range(found.GetNumberOfPoints())]}


errors = []
frames = []
for item in ElementTree.parse(sys.argv[1]).getroot().iter("DataSet"):
    reader = vtk.vtkXMLPolyDataReader()
    reader.AddObserver("ErrorEvent", lambda *_: errors.append(item.get("file")))
    reader.SetFileName(os.path.join(os.path.dirname(sys.argv[1]), item.get("file")))
    reader.Update()
    poly = reader.GetOutput()
    frames.append({"time": float(item.get("timestep")), "points": numbers(poly.GetPoints().GetData()),
                   "cells": [cell(poly, k) for k in range(poly.GetNumberOfCells())],
                   "point_data": data(poly.GetPointData()), "cell_data": data(poly.GetCellData())})
json.dump({"frames": frames, "errors": errors}, sys.stdout)
