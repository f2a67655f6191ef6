"""What the package carries."""

import pytest

import pithball as pb
from pithball import _package


def test_licences_hold_our_own_and_the_page_about_libraries():
    texts = pb.licences()
    assert "Apache License" in texts["pithball-LICENSE"]
    assert "CHOLMOD" in texts["pithball-LICENSES"]


def test_a_package_without_licence_texts_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(_package, "folder", tmp_path)
    with pytest.raises(FileNotFoundError, match="licence texts"):
        pb.licences()
