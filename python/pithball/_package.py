"""The files that the package carries: the page of reports, the database of units, licences."""

from pathlib import Path

from . import _pithball

folder = Path(__file__).parent / "share"
if folder.is_dir():
    _pithball.use_shared_folder(str(folder))


def licences():
    """Licence texts of Pithball and of every library that this package carries, by name.

    A wheel made by `make wheel` carries its libraries. An installation from source uses those of the system, whose
    licences are described by Pithball's own `LICENSES.md`.
    """
    texts = {file.stem: file.read_text(errors="replace") for file in sorted((folder / "licences").glob("*"))}
    if not texts:
        from importlib.metadata import PackageNotFoundError, files

        try:
            own = [file for file in files("pithball") or [] if "licenses/" in str(file)]
        except PackageNotFoundError:  # in the build tree
            own = []
        texts = {file.stem: file.read_text() for file in own}
    return texts
