"""The demo fit from an installed package, in the run folder RUN: what try_in_empty_root.sh runs where nothing else is.

usage: demo_fit.py EXPERIMENT RUN
"""

import sys

import pithball as pb


def main(experiment, run):
    fit = pb.load(experiment).fit(out=run, overwrite=True)
    print(fit)
    print("report:", fit.report())
    texts = pb.licences()
    assert "GNU GENERAL PUBLIC LICENSE" in texts["common-GPL-3"] and len(texts) > 20
    print("licence texts:", *texts)


if __name__ == "__main__":
    main(*sys.argv[1:])
