"""Sphinx's settings for the documentation site; `make site` stages the pages (stage.py) and builds it."""

import re
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "build/release/python"))

project = "Pithball"
copyright = "Pithball's authors, Apache-2.0"
version = release = re.search(r'version = "([0-9.]+)"', (ROOT / "app/base/version.hpp").read_text())[1]

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
root_doc = "index"
html_theme = "furo"
html_title = "Pithball"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
exclude_patterns = ["viewer", "datasets/recordings/*/LICENSE.md"]

# Markdown as GitHub reads it: links between pages, and anchors of headings.
myst_heading_anchors = 6
myst_enable_extensions = ["attrs_inline", "colon_fence", "dollarmath"]
# A page written for GitHub may skip a level of headings or show code with "…" in it; a function among the settings of the
# gallery only means that these are read anew each time.
suppress_warnings = ["myst.header", "misc.highlighting_failure", "config.cache"]

autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "undoc-members": False}


def warnings_are_errors(gallery, file):
    """Before each tutorial: what the package warns of fails it. (Matplotlib's picture, which nobody sees, is meant so.)"""
    warnings.filterwarnings("error", category=UserWarning)
    warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive", category=UserWarning)


# The tutorials are run in the order of their numbers; a failing one fails the build.
sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "docs/tutorials"),
    "gallery_dirs": "tutorials",
    "filename_pattern": r"/\d\d_",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "reset_modules": ("matplotlib", warnings_are_errors),
    "download_all_examples": False,
    "show_memory": False,
    "remove_config_comments": True,
    "min_reported_time": 0,
}
