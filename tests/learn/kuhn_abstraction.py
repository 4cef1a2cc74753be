"""A user's abstraction of Kuhn poker: the own card, and how many have acted."""


def card(view, player):
    return 4 * view.plies + view.cards[player]
