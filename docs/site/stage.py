#!/usr/bin/env python3
"""Copies what the site is made of into one folder: every tracked Markdown page but forms and changelog fragments, and the
files that these pages link to. The page of keys becomes one page for each of its sections, and the first page shows the
Python of the README.

usage: stage.py FOLDER
Links to folders, which the site has no page for except the tutorials, become text. A file that has not changed is left alone.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs/site"  # its pages stand at the top of the site
TUTORIALS = ROOT / "docs/tutorials"  # their pages are made by Sphinx-Gallery
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.splitlines()]


def is_elsewhere(target):
    return "://" in target or target.startswith("mailto:")


def place_in_site(file):
    """Where a file of the repository stands, relative to the top of the site."""
    return file.relative_to(SITE if file.is_relative_to(SITE) else ROOT)


def linked_files(page, text):
    """Files of the repository that a page links to or shows, other than pages."""
    places = [(page.parent / target).resolve() for _, _, target, _ in LINK.findall(text) if not is_elsewhere(target)]
    return {place for place in places if place.is_file() and place.suffix != ".md"}


def with_links_of_site(page, text):
    """The page's text with links as they are on the site; those to folders become text."""

    def rewrite(link):
        sign, words, target, anchor = link.groups(default="")
        place = (page.parent / target).resolve()
        if is_elsewhere(target):
            return link[0]
        if place == TUTORIALS:
            return f"[{words}](/tutorials/index.rst)"
        if place.is_dir():
            return words
        return f"{sign}[{words}](/{place_in_site(place)}{anchor})" if place.is_file() else link[0]

    return LINK.sub(rewrite, text)


def by_section(page, text):
    """The page as its introduction with a list of its sections, and a page for each of them: (file, text) pairs."""
    introduction, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    pages, entries = [], []
    for section in sections:
        heading, body = section.split("\n", 1)
        slug = re.sub(r"[^a-z_]+", "_", heading.lower()).strip("_")
        pages.append((page.with_suffix("") / f"{slug}.md", f"# {heading}\n{body}"))
        entries.append((slug, heading, body.strip().split("\n", 1)[0]))
    listed = "\n".join(f"- [{heading}]({page.stem}/{slug}.md): {sentence}" for slug, heading, sentence in entries)
    contents = "\n".join(f"{page.stem}/{slug}" for slug, _, _ in entries)
    return [(page, f"{introduction}## Sections\n\n{listed}\n\n```{{toctree}}\n:hidden:\n\n{contents}\n```\n"), *pages]


def python_of_readme():
    """The first Python block of the README and what it prints."""
    text = (ROOT / "README.md").read_text()
    code = re.search(r"^```python\n.*?^```$", text, re.MULTILINE | re.DOTALL)
    return code[0] + "\n\n" + re.search(r"^```\n.*?^```$", text[code.end():], re.MULTILINE | re.DOTALL)[0]


def staged_pages():
    """Every page of the site: where its text is from, and its text."""
    for page in tracked("*.md", ":!.github", ":!changelog.d"):
        text = page.read_text()
        if page == ROOT / "docs/keys.md":
            yield from by_section(page, text)
        else:
            yield page, text.replace("PYTHON_OF_README", python_of_readme()) if page == SITE / "index.md" else text


def write_if_new(file, content):
    if file.is_file() and file.read_bytes() == content:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def main(folder):
    others, staged = set(), set()
    for page, text in staged_pages():
        others |= linked_files(page, text)
        staged.add(folder / place_in_site(page))
        # The pages of docs/ are in the table of contents, or Sphinx warns; others are found by links.
        head = "" if page.is_relative_to(ROOT / "docs") else "---\norphan: true\n---\n\n"
        write_if_new(folder / place_in_site(page), (head + with_links_of_site(page, text)).encode())
    for old in set(folder.rglob("*.md")) - staged:
        old.unlink()
    for file in others:
        write_if_new(folder / place_in_site(file), file.read_bytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
