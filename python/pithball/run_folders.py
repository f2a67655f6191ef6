"""Run folders on the disk: temporary ones, copies, and what their records say (docs/run_folders.md)."""

import hashlib
import json
import os
import shutil
import tempfile
import weakref
from pathlib import Path

from .errors import InvalidArgument

RECORD = "record.json"


def read_record(folder):
    """The record of a run folder, by which a run is told from another and its files from those of others; None: no run."""
    try:
        record = json.loads((Path(folder) / RECORD).read_text())
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) and isinstance(record.get("own"), list) else None


def make_temporary():
    """A new folder among the temporary files."""
    return tempfile.mkdtemp(prefix="pithball-")


def remove_with(owner, folder):
    """Removes a temporary folder when `owner` goes, in this process: a child that was forked from it only has a copy."""
    weakref.finalize(owner, _remove_in, os.getpid(), folder)


def _remove_in(process, folder):
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def copy_run(source, target, overwrite):
    """Copies a run folder. An earlier run is replaced when the copy is complete; files that others put into it stay."""
    place = Path(target).resolve()  # a link to a folder is followed
    source = Path(source).resolve()
    if place == source or source in place.parents or place in source.parents:
        raise InvalidArgument.of(str(target), "must be apart from the run folder itself", f"'{source}'",
                                 "choose another folder")
    earlier = _earlier(place, target, overwrite)
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
    try:
        shutil.copytree(source, draft, dirs_exist_ok=True)
        if earlier is not None:
            _replace(place, earlier, draft)
        else:
            draft.rename(place)  # an empty folder gives way, another one does not
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def _earlier(place, target, overwrite):
    """The record of the run that a copy replaces; None: there is nothing. Raises InvalidArgument where it must not."""
    if not os.path.lexists(place):
        return None
    if not overwrite:
        raise InvalidArgument.of(str(target), "must not exist", "a file or folder", "write overwrite=True")
    record = read_record(place)
    if record is None and not (place.is_dir() and not any(place.iterdir())):
        raise InvalidArgument.of(str(target), "must not exist yet or be an earlier run folder",
                                 "a folder of something else" if place.is_dir() else "a file", "choose another folder")
    return record


def _replace(place, earlier, draft):
    """Gives the draft the name of the earlier run, whose files go; those of others move into it."""
    aside = Path(tempfile.mkdtemp(prefix=f"{place.name}.replaced-", dir=place.parent))
    place.rename(aside)  # onto the empty folder
    try:
        draft.rename(place)
    except BaseException:
        aside.rename(place)
        raise
    for entry in aside.iterdir():
        if entry.name not in (RECORD, *earlier["own"]) and not os.path.lexists(place / entry.name):
            entry.rename(place / entry.name)
    _remove_own(aside, earlier)


def _remove_own(folder, record):
    """Removes what a record lists, and the folder if it is then empty: what others put there stays."""
    root = folder.resolve()
    for name in [*reversed(record["own"]), RECORD]:
        entry = folder / name
        if not entry.parent.resolve().is_relative_to(root):
            continue
        inner = read_record(entry) if entry.is_dir() and not entry.is_symlink() else None
        if inner is not None:
            _remove_own(entry, inner)
        elif entry.is_dir() and not entry.is_symlink():
            _remove_if_empty(entry)
        else:
            entry.unlink(missing_ok=True)
    _remove_if_empty(folder)


def add_recordings(folder, files):
    """Keeps the tables of a fit in its run folder, and names them so in run.yaml and in the record."""
    record = read_record(folder) if files else None
    if record is None:
        return
    folder, experiment = Path(folder), (Path(folder) / "run.yaml").read_text()
    for file in files:
        name = Path(file.path).name
        shutil.copyfile(file.path, folder / name)
        experiment = experiment.replace(json.dumps(file.path), json.dumps(name))  # relative to run.yaml
        record["own"].append(name)
        inputs = record["inputs"]
        kept = str(folder.resolve() / name)
        inputs["experiment"] = inputs["experiment"].replace(json.dumps(file.path), json.dumps(kept))
        inputs["files"][kept] = inputs["files"].pop(file.path, "")
    _replace_text(folder / "run.yaml", experiment)
    _replace_text(folder / RECORD, json.dumps(record, indent=2, ensure_ascii=False) + "\n")


def require_same_files(folder):
    """Raises InvalidArgument where a file that a run has read is another one by now."""
    record = read_record(folder) or {}
    for file, digest in record.get("inputs", {}).get("files", {}).items():
        is_kept = Path(file).name in record["own"]  # by the run itself, wherever its folder was then
        if not is_kept and Path(file).is_file() and hashlib.sha256(Path(file).read_bytes()).hexdigest() != digest:
            raise InvalidArgument.of(file, "must be as it was when the run was made", "another content",
                                     "put it back, or fit again")


def _replace_text(file, text):
    """Writes a file in one step."""
    with tempfile.NamedTemporaryFile("w", dir=file.parent, prefix=f"{file.name}.", encoding="utf-8", delete=False) as draft:
        draft.write(text)
    shutil.copymode(file, draft.name)
    os.replace(draft.name, file)


def _remove_if_empty(folder):
    try:
        folder.rmdir()
    except OSError:
        pass  # files of others
