#!/usr/bin/env python3
"""Holds .github/workflows/checks.yml and .ci/run to the same steps, in the same order.

usage: check_workflow.py [--self-test]

A step of .ci/run is a command at the beginning of a line; what stands under `if` needs data beside the clone, which the
workflow never has. A step of the workflow is a line `run: COMMAND`, other than those that only prepare the container.
Every script of .ci/steps is one of both. Status 1 names the differences.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = ".github/workflows/checks.yml"
PREPARES = ("apt-get ", "git config ")  # what a runner lacks and a clone has
SHELL = ("#", "set ", "source ", "if ", "fi")  # of .ci/run, without a step


def steps_of_run(text):
    lines = [line for line in text.splitlines() if line and not line[0].isspace() and not line.startswith(SHELL)]
    return [re.sub(r"\s+#.*", "", line) for line in lines]


def steps_of_workflow(text):
    """(command, what else the step says) of each `run:` that does not prepare."""
    items = re.split(r"^ *- (?=\w+:)", re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)
    for item in items[1:]:
        said = re.search(r"^\s*run: *(.*)$", item, re.MULTILINE)
        if said and not said[1].startswith(PREPARES):
            yield said[1].strip(), item


def jobs_out_of_order(text):
    """Jobs after the first that do not wait for the one before them."""
    parts = re.split(r"^  (\w+):\n", text[text.index("\njobs:"):], flags=re.MULTILINE)[1:]
    names, bodies = parts[::2], parts[1::2]
    return [(name, before) for name, body, before in zip(names[1:], bodies[1:], names)
            if not re.search(rf"^    needs: {before}$", body, re.MULTILINE)]


def complaints(run, workflow, scripts):
    """What differs between the texts of .ci/run and of the workflow; `scripts` are the names of those in .ci/steps."""
    mine, theirs = steps_of_run(run), list(steps_of_workflow(workflow))
    commands = [command for command, _ in theirs]
    if not mine:
        yield ".ci/run has no step"
    yield from (f".ci/run runs '{step}', and {WORKFLOW} does not" for step in mine if step not in commands)
    yield from (f"{WORKFLOW} runs '{step}', and .ci/run does not" for step in commands if step not in mine)
    if sorted(mine) == sorted(commands) and mine != commands:
        yield f"{WORKFLOW} has the steps of .ci/run in another order"
    yield from (f"nobody runs {script}" for script in scripts if script not in mine)
    for command, item in theirs:
        if re.search(r"^(?: {8})?(if|continue-on-error):", item, re.MULTILINE):
            yield f"{WORKFLOW}: '{command}' can be left out, or fail unseen"
    if re.search(r"^ {4}(if|continue-on-error):", workflow, re.MULTILINE):
        yield f"{WORKFLOW}: a whole job can be left out, or fail unseen"
    for name, before in jobs_out_of_order(workflow):
        yield f"{WORKFLOW}: the job {name} does not wait for {before}"


def self_test(run, workflow, scripts):
    def found(*differences, run=run, workflow=workflow, scripts=scripts):
        told = list(complaints(run, workflow, scripts))
        assert len(told) == len(differences) and all(part in text for part, text in zip(differences, told)), told

    quick = "      - run: .ci/steps/quick\n"
    assert workflow.count(quick) == 1 and run.count(".ci/steps/quick\n") == 1
    found(".ci/run runs 'make tidy', and", run=run + "make tidy  # slow\n")
    found(".ci/run runs '.ci/steps/quick', and", workflow=workflow.replace(quick, ""))
    found("runs 'make tidy', and .ci/run does not", workflow=workflow.replace(quick, quick + "      - run: make tidy\n"))
    found("runs '.ci/steps/quick', and .ci/run does not", "nobody runs .ci/steps/quick", run=run.replace(".ci/steps/quick\n", ""))
    found("runs '|', and .ci/run does not", workflow=workflow + "      - run: |\n          make a\n          make b\n")
    found("in another order", run=run.replace(".ci/steps/quick\n", "").replace(".ci/steps/slow\n", ".ci/steps/slow\n.ci/steps/quick\n"))
    found("'.ci/steps/quick' can be left out", workflow=workflow.replace(quick, quick + "        continue-on-error: true\n"))
    found("'.ci/steps/quick' can be left out", workflow=workflow.replace(quick, "      - if: false\n        run: .ci/steps/quick\n"))
    found("a whole job can be left out", workflow=workflow.replace("    needs: quick\n", "    needs: quick\n    if: false\n"))
    found("the job slow does not wait for quick", workflow=workflow.replace("    needs: quick\n", ""))
    found("nobody runs .ci/steps/other", scripts=[*scripts, ".ci/steps/other"])
    print("self-test: steps that differ are found")


def main():
    run, workflow = ((ROOT / name).read_text() for name in (".ci/run", WORKFLOW))
    scripts = sorted(str(path.relative_to(ROOT)) for path in (ROOT / ".ci/steps").iterdir())
    if sys.argv[1:] == ["--self-test"]:
        return self_test(run, workflow, scripts)
    found = list(complaints(run, workflow, scripts))
    print("\n".join(found) if found else f"the workflow and .ci/run have the same {len(steps_of_run(run))} steps")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
