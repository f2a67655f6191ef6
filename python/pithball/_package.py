"""The files that the package carries: the page of reports, the database of units, licences."""

from pathlib import Path

from . import _pithball

folder = Path(__file__).parent / "share"
if folder.is_dir():
    _pithball.use_shared_folder(str(folder))


def licences():
    """Licence texts of Pithball and of every library that this package carries, by name.

    A wheel made by `make wheel` carries its libraries. An installation from source uses those of the system, whose
    licences are described by `pithball-LICENSES`. Raises FileNotFoundError if the package lacks its texts.
    """
    place = folder / "licences"
    texts = {file.stem: file.read_text(errors="replace") for file in sorted(place.glob("*"))}
    if not texts:
        raise FileNotFoundError(f"{place}: licence texts of the package required, got none; install the package again")
    return texts
