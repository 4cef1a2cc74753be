"""Settings: the numbers of an agent or of a training, written `key=value,key=value` and typed by a dataclass."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from ludus.errors import BadSpec, UnknownName

MOST = 1e9
"""No number of anything is larger, unless its setting says so."""


def setting(default: Any, help: str, low: float | None = None, high: float = MOST, *, resource: bool = False) -> Any:
    """One setting of an agent or a training, with its line of help; a resource decides nothing of what comes out."""
    return dataclasses.field(default=default, metadata={"help": help, "low": low, "high": high, "resource": resource})


def read_settings(kind: type, text: str, owner: str = "") -> dict[str, Any]:
    """The settings in ``key=value,key=value``, typed by a dataclass's fields; a bare first value is the first's."""
    owner = owner or f"agent {kind.name}"
    fields = {field.name: field for field in dataclasses.fields(kind)}
    given: dict[str, Any] = {}
    for position, item in enumerate(filter(None, text.split(","))):
        key, equals, value = item.partition("=")
        if not equals and position == 0 and fields:
            key, value = next(iter(fields)), item
        key = key.strip()
        if key not in fields:
            raise UnknownName("setting", key, fields, f" of {owner}")
        given[key] = _read_setting(owner, fields[key], value.strip())
    return given


def _read_setting(owner: str, field: dataclasses.Field, text: str) -> Any:
    target = type(field.default)
    try:
        value = text.lower() in ("1", "true", "yes", "on") if target is bool else target(text)
    except ValueError:
        what = {"int": "a whole number", "float": "a number"}.get(target.__name__, target.__name__)
        raise BadSpec(f"{owner}: {field.name} is {what}, not {text!r}") from None
    if target in (int, float):
        _check_range(owner, field, value, text)
    return value


def _check_range(owner: str, field: dataclasses.Field, value: Any, text: str) -> None:
    low, high = field.metadata.get("low"), field.metadata.get("high", MOST)
    if not math.isfinite(value):
        raise BadSpec(f"{owner}: {field.name} is a finite number, not {text}")
    if low is not None and value < low:
        raise BadSpec(f"{owner}: {field.name} must be at least {low:g}, not {text}")
    if value > high:
        raise BadSpec(
            f"{owner}: {field.name} must be at most {f'{high:,.0f}' if high > 1 else f'{high:g}'}, not {text}"
        )
