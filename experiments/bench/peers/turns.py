"""What the scripts of all peers share: each says who is there, takes its input, and then works in turns.

A script talks in lines of JSON. It first prints {"version": …}, or {"missing": …} if its package is not installed. The
first line that it reads is the input, whose "body" is that of app/backend/jax_md/serve.py. Each further line is a turn:
an object of settings, answered by {"seconds": …, …}, the processor time of all threads for the work alone. The first
turn compiles, and is not counted.
"""

import json
import sys
import time
from importlib import import_module
from importlib.metadata import version

answers, sys.stdout = sys.stdout, sys.stderr  # what a package prints is no answer


def reply(**content):
    print(json.dumps(content), file=answers, flush=True)


def introduce(package, *modules):
    """Says who is there, and returns its modules; ends the script where one is missing."""
    try:
        found = [import_module(module) for module in modules]
    except ImportError as absent:
        reply(missing=str(absent))
        sys.exit()
    reply(version=version(package))
    return found


def read_input():
    return json.loads(sys.stdin.readline())


def take_turns(work):
    """Answers each turn by work(**settings), which returns a function that makes the answer; that is not timed."""
    for line in sys.stdin:
        settings = json.loads(line)
        begin = time.process_time()
        answer = work(**settings)
        seconds = time.process_time() - begin
        reply(seconds=seconds, **answer())
