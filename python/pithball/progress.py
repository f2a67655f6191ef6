"""Progress bars by tqdm, in terminals and notebooks."""

import sys

from . import _pithball


class Bar:
    """A bar of tqdm as the compiled part calls it."""

    def __init__(self, title, total):
        from tqdm.auto import tqdm

        layout = "{desc} {bar} {percentage:3.0f} % {remaining} left"
        self._bar = tqdm(desc=title, total=total, leave=False, bar_format=layout)

    def update(self, done):
        self._bar.n = done
        self._bar.refresh()

    def close(self):
        self._bar.close()


def is_wanted(progress):
    """Whether bars are shown; None: where a person looks, in a terminal or a notebook."""
    return ("ipykernel" in sys.modules or sys.stderr.isatty()) if progress is None else progress


_pithball.show_progress_by(Bar)
