"""Where the tests find data that does not travel with the project."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# An example may have to compile first; nothing here is judged by time.
settings.register_profile("ludus", deadline=None)
settings.load_profile("ludus")


@pytest.fixture(scope="session")
def shared() -> Path:
    """A folder beside the checkout with published positions and maps; tests that use it skip where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("the folder of published data is not beside this checkout")
    return folder
