"""Files on disk: written whole or not at all, and read with a sentence where they are damaged."""

from __future__ import annotations

import json
import math
import os
import threading
from pathlib import Path
from typing import Any

from ludus.errors import DiskTrouble


def write_whole(path: Path, content: str | bytes) -> Path:
    """Write a file; a reader never sees half of it, and a failure leaves what was there before."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.part")
    try:
        draft.write_bytes(content.encode() if isinstance(content, str) else content)
        return draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise DiskTrouble(f"cannot write {path}: {error.strerror or error}") from error


def write_json(path: Path, value: Any) -> Path:
    return write_whole(path, json.dumps(value, indent=1))


def read_json(path: Path) -> Any:
    """What `write_json` wrote; a file that somebody damaged is named."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DiskTrouble(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise DiskTrouble(f"{path} is damaged ({error}); move it away to begin anew") from error


def finite(value: Any) -> Any:
    """JSON has no word for infinity: such a number is null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: finite(inner) for key, inner in value.items()}
    return [finite(inner) for inner in value] if isinstance(value, list | tuple) else value
