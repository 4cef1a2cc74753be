"""Every metric, one file each; `ludus.measure.metric` says what is in it. The folder is searched."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import replace
from functools import cache

from ludus.errors import UnknownName
from ludus.measure.metric import GROUPS, Metric


@cache
def all_metrics() -> dict[str, Metric]:
    """By name, in the order of their groups."""
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    found = {name: importlib.import_module(f"{__name__}.{name}").METRIC for name in names}
    order = sorted(found, key=lambda name: (GROUPS.index(found[name].group), name))
    return {name: replace(found[name], name=name) for name in order}


def metric(name: str) -> Metric:
    if name not in all_metrics():
        raise UnknownName("metric", name, all_metrics())
    return all_metrics()[name]
