"""Whom a learner of Gravwell may meet, the usual one first."""

from __future__ import annotations

from ludus.agents.gravwell.trees import INTENDED, NEVER, PUBLISHED, UNIFORM, tree_action
from ludus.compile import rule


@rule
def without_stops(view, player, rng):
    return tree_action(view, player, UNIFORM, UNIFORM, NEVER, rng)


@rule
def intended_tree(view, player, rng):
    return tree_action(view, player, INTENDED, INTENDED, INTENDED, rng)


@rule
def published_tree(view, player, rng):
    return tree_action(view, player, PUBLISHED, PUBLISHED, PUBLISHED, rng)


RIVALS = {"nostop": without_stops, "tree": intended_tree, "published": published_tree}
