"""A place for the README's game that is the same from run to run: compiled code is found again by where it lies."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def nim_folder(request, tmp_path_factory) -> Path:
    store = getattr(request.config, "cache", None)
    return store.mkdir("interop-nim") if store else tmp_path_factory.mktemp("nim")
