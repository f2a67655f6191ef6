"""Prints every array of a NumPy archive as JSON: kind of number, shape, values."""
import json
import sys

import numpy

archive = numpy.load(sys.argv[1], allow_pickle=False)
json.dump({name: {"kind": archive[name].dtype.str, "shape": archive[name].shape, "c_order": archive[name].flags.c_contiguous,
                  "values": archive[name].tolist()} for name in archive.files}, sys.stdout)
