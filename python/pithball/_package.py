"""The files that the package carries: the page of reports, the database of units, licenses."""

from pathlib import Path

from . import _pithball

folder = Path(__file__).parent / "share"
if folder.is_dir():
    _pithball.use_shared_folder(str(folder))
