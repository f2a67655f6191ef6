#!/usr/bin/env python3
"""Copies what the site is made of into one folder: every tracked Markdown page, and the files that these pages link to.

usage: stage.py FOLDER
Links to folders, which a site has no page for, become text. A file that has not changed is left alone.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")
IMAGE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [Path(name) for name in listed.stdout.splitlines()]


def is_elsewhere(target):
    return "://" in target or target.startswith("mailto:")


def linked_files(page, text):
    """Files of the repository that a page links to or shows, other than pages."""
    targets = [target for _, target, _ in LINK.findall(text)] + IMAGE.findall(text)
    places = [(ROOT / page).parent / target for target in targets if not is_elsewhere(target)]
    return {place.resolve().relative_to(ROOT) for place in places if place.is_file() and place.suffix != ".md"}


def without_links_to_folders(page, text):
    def keep_or_name(link):
        is_folder = not is_elsewhere(link[2]) and ((ROOT / page).parent / link[2]).is_dir()
        return link[1] if is_folder else link[0]

    return LINK.sub(keep_or_name, text)


def write_if_new(file, content):
    if file.is_file() and file.read_bytes() == content:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def main(folder):
    others, staged = set(), set()
    for page in tracked("*.md"):
        text = (ROOT / page).read_text()
        others |= linked_files(page, text)
        # The site's own pages stand at its top.
        place = page.relative_to("docs/site") if page.is_relative_to("docs/site") else page
        # The pages of docs/ are in the table of contents, or Sphinx warns; others are found by links.
        head = "" if page.is_relative_to("docs") else "---\norphan: true\n---\n\n"
        staged.add(folder / place)
        write_if_new(folder / place, (head + without_links_to_folders(page, text)).encode())
    for old in set(folder.rglob("*.md")) - staged:
        old.unlink()
    for file in others:
        write_if_new(folder / file, (ROOT / file).read_bytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
