"""Planet Wars, the game of the Google AI Challenge of 2010.

Two players fight for planets. A planet lies at a point of the plane, holds ships, belongs to player 1, to player 2 or
to nobody, and has a growth: the ships that it builds every turn for a player who owns it. Ships leave a planet only in
fleets, and a fleet flies straight to another planet; it can neither be recalled nor redirected, and fleets do not meet
in space. The trip takes the distance, rounded up, in turns. All is open to both but the orders of the turn.

A turn. Both players write their orders, unseen by each other: any number of times "so many ships from my planet here
to that planet there", as long as the planet has them. When both are done:

    1  departure    the ships leave; orders of one turn over one route make one fleet
    2  growth       every planet that a player owns adds its growth; one taken this turn grows from the next turn on,
                    and one lost this turn has still grown for its old owner
    3  flight       every fleet, a new one too, has one turn less to go
    4  arrival      where fleets land, ships are pooled by owner, the garrison included. The largest pool wins and keeps
                    what it has more than the second largest (of 5, 4 and 3 the 5 keep the planet with 1 ship). If the
                    two largest are equal, no ship is left and the planet stays with whom it was

So a fleet ordered now over a distance d fights in the d-th update from now, the garrison has then grown d times, and
whoever attacks s ships needs s + 1.

The end. Whoever has neither planet nor fleet has lost at once; if that befalls both, it is a draw. A planet without
ships or growth is a planet. After `turns` turns whoever has more ships, on planets and under way, wins; equal is a
draw. (The contest's Java engine played one turn more than its limit: set turns=201 for its 200.)

Actions. Every player gives one order after the other until it is done. An order is one number, and done is 0:

    action = ships * 1600 + source * 40 + dest        0 is DONE ("go"), planets are 0 … 39
    "4 7 20" = 20 * 1600 + 4 * 40 + 7 = 32167         20 ships from planet 4 to planet 7

Any order is allowed that takes 1 … 1,342,176 free ships from an own planet to another planet; a planet with more can
be ordered from twice. The contest let pass orders of no ships and ignored them; here they are no actions, and
`parse_orders` drops them. `legal` lists a menu: for every own planet with free ships and every other planet

    all    every free ship
    half   half of them, rounded down
    take   for a planet of another: as many as take it if nobody else sends ships: its ships + 1, and for one of the
           rival's also its growth on the way

without doubles, and only what is there. DONE is always on the menu. A player who picks at random from hundreds of
orders would hardly ever pick DONE, so the menu has nothing but DONE once `menu_orders` orders are given this turn; more
may be given, they are just not proposed. Random play thus gives that many orders each turn while it has ships.

Limits. A map has 2 … 40 planets and trips of 1 … 127 turns. A player's fleets, under way and about to leave, are at
most `fleets`, itself at most 320; orders over one route make one fleet, so they need one place. When after a turn more
than three quarters of that are under way, fleets of the player that will land on one planet in one turn are joined,
under the route of the first: no fight can tell the difference, and a stream of supplies has room. Whose table is full
all the same can but add ships to routes of this turn, or say DONE, until fleets have landed. A turn has at most 1600
orders a player.

Maps (`maps`). Planet 0 is neutral, in the centre; 1 and 2 are the homes, with 100 ships and growth 5; every further
planet has a twin with the same ships and growth, next to it in number, so that both players have the same chances.

    classic    the contest's maps until November 2010: the twin lies opposite through the centre; `pairs` pairs in a
               square of side 24, so 23 planets with 10 pairs; neutrals have 1-90 ships (the centre 1-150) and growth
               1-5 (the centre 0-5); homes lie at least 5 turns apart
    finals     its last maps: 15-30 planets in a disc of radius 15; a coin decides between point symmetry (an odd number
               of planets) and mirror symmetry; 0-5 planets are equally far from both homes, those on the mirror axis
               without a twin and numbered from 3; neutrals have 1-100 ships, the first pair fewer than a home builds on
               the trip to the other, so that one target always pays; homes lie at least 4 turns apart

Any other map is read from the contest's text (`parse_state`). Presets: `finals`; `skirmish` (7 planets, 60 turns).

Forfeit. The contest struck off a player who answered late, crashed or gave an order that is not allowed: the planets
turn neutral with their ships, the fleets vanish, so does what was ordered this turn, and the rival wins; both at once
is a draw. Who forfeits is for the arena to say; `forfeit` writes the result into a position.
"""

import numpy as np

from ludus.errors import BadNotation
from ludus.games import _planet_wars_text as texts
from ludus.games._planet_wars_maps import NEUTRAL, draw_classic_map, draw_finals_map, trip
from ludus.games._planet_wars_text import (
    MAX_FLEETS,
    MAX_GROWTH,
    MAX_PLANETS,
    MOST_ORDERS,
    MOST_SHIPS,
    ROUTES,
    Order,
)
from ludus.rng import below
from ludus.rules import Facts, Param, Params, choice, record, rule

MOST_TURNS = 1000

FACTS = Facts(
    "Planet Wars",
    players=(2, 2),
    # most with all 40 planets in one hand: done, and half and all over every route
    max_actions=1 + 2 * MAX_PLANETS * (MAX_PLANETS - 1),
    max_plies=MOST_TURNS * (MOST_ORDERS + 1),
    version="2",
    hidden=True,
    chance=True,
    simultaneous=True,
    secret_actions=True,
)

PARAMS = Params(
    turns=Param(200, 1, MOST_TURNS, help="turns until the ships are counted"),
    maps=choice("classic", "finals", help="how maps are drawn: 23 planets, or 15 to 30 as in the contest's finals"),
    pairs=Param(10, 0, 18, help="pairs of neutral planets on a classic map"),
    fleets=Param(MAX_FLEETS, 1, MAX_FLEETS, help="a player's fleets, under way and about to leave, at most"),
    menu_orders=Param(2, 1, MOST_ORDERS, help="orders a turn that the menu proposes; others may still be given"),
)

PRESETS = {"finals": {"maps": "finals"}, "skirmish": {"pairs": 2, "turns": 60}}

State = record(
    params=PARAMS,
    players=np.int32,
    turn=np.int32,  # turns played
    outcome=np.int32,  # PLAYING, 1 + p when player p has won, or DRAW
    planets=np.int32,
    under_way=(np.int32, 2),  # fleets in flight; they come first in the player's row of the fleet table
    waiting=(np.int32, 2),  # secret: fleets that leave when the turn ends; they come next
    given=(np.int32, 2),  # secret: orders of this turn, of which several may make one fleet
    done=(np.int32, 2),  # secret: 1 when the player has closed its orders
    x=(np.float64, MAX_PLANETS),
    y=(np.float64, MAX_PLANETS),
    ships=(np.int32, MAX_PLANETS),  # ships that wait to leave are still counted here
    fleet_ships=(np.int32, (2, MAX_FLEETS)),
    fleet_route=(np.int16, (2, MAX_FLEETS)),  # source * 40 + dest
    owner=(np.int8, MAX_PLANETS),  # NEUTRAL, or 1 + p
    growth=(np.int8, MAX_PLANETS),
    fleet_turns=(np.int8, (2, MAX_FLEETS)),  # turns to go
)
# A row of the fleet table is sorted: the longest under way first, then by route. Equal positions are therefore equal
# bytes, in whatever order they came about. Entries behind the last fleet are 0.

DONE = 0
PLAYING, DRAW = 0, 3
CLASSIC = 0


@rule
def setup(state, rng):
    if state.params.maps == CLASSIC:
        draw_classic_map(state, rng)
    else:
        draw_finals_map(state, rng)


# ------------------------------------------------------------------------------------------------ orders


@rule
def to_act(state):
    if state.outcome != PLAYING:
        return 0
    return (1 - state.done[0]) | (1 - state.done[1]) << 1


@rule
def free_ships(state, player, planet):
    """Ships of an own planet that no order of this turn takes away."""
    ships = int(state.ships[planet])
    first = state.under_way[player]
    for k in range(first, first + state.waiting[player]):
        if state.fleet_route[player, k] // MAX_PLANETS == planet:
            ships -= state.fleet_ships[player, k]
    return ships


@rule
def places_left(state, player):
    """Routes that the player may still add to those of this turn."""
    return state.params.fleets - state.under_way[player] - state.waiting[player]


@rule
def is_waiting(state, player, route):
    """Whether a fleet over this route leaves when the turn ends."""
    first = state.under_way[player]
    for k in range(first, first + state.waiting[player]):
        if state.fleet_route[player, k] == route:
            return True
    return False


@rule
def legal(state, player, out):
    out[0] = DONE
    count = 1
    if state.given[player] >= state.params.menu_orders or places_left(state, player) <= 0:
        return count  # the few orders over routes that wait already are allowed, but not worth a line
    for source in range(state.planets):
        if state.owner[source] == 1 + player:
            free = min(free_ships(state, player, source), MOST_SHIPS)
            if free > 0:
                count = list_orders(state, player, source, free, out, count)
    return count


@rule
def list_orders(state, player, source, free, out, count):
    """All, half and just enough, from one planet to every other."""
    half = free // 2
    for dest in range(state.planets):
        if dest == source:
            continue
        route = source * MAX_PLANETS + dest
        out[count] = free * ROUTES + route
        count += 1
        if half > 0:
            out[count] = half * ROUTES + route
            count += 1
        take = ships_to_take(state, player, source, dest, free)
        if 0 < take < free and take != half:
            out[count] = take * ROUTES + route
            count += 1
    return count


@rule
def ships_to_take(state, player, source, dest, free):
    """What takes the planet of another if nobody else sends ships there; 0 for an own planet."""
    if state.owner[dest] == 1 + player:
        return 0
    take = int(state.ships[dest]) + 1
    if state.owner[dest] != NEUTRAL and take < free:
        take += int(state.growth[dest]) * trip(state, source, dest)
    return take


@rule
def is_legal(state, player, action):
    """Any order of free ships from an own planet to another, whether on the menu or not."""
    if to_act(state) >> player & 1 == 0 or action < 0:
        return False
    if action == DONE:
        return True
    ships, source, dest = action // ROUTES, action // MAX_PLANETS % MAX_PLANETS, action % MAX_PLANETS
    if source >= state.planets or dest >= state.planets or source == dest or state.owner[source] != 1 + player:
        return False
    if not 1 <= ships <= min(free_ships(state, player, source), MOST_SHIPS) or state.given[player] >= MOST_ORDERS:
        return False
    return places_left(state, player) > 0 or is_waiting(state, player, action % ROUTES)


@rule
def give_order(state, player, route, ships):
    """Add to the fleets that wait to leave, which are sorted by route."""
    place = state.under_way[player]
    end = place + state.waiting[player]
    while place < end and state.fleet_route[player, place] < route:
        place += 1
    state.given[player] += 1
    if place < end and state.fleet_route[player, place] == route:
        state.fleet_ships[player, place] += ships
        return
    for k in range(end, place, -1):
        move_fleet(state, player, k - 1, k)
    state.fleet_ships[player, place] = ships
    state.fleet_route[player, place] = route
    state.fleet_turns[player, place] = trip(state, route // MAX_PLANETS, route % MAX_PLANETS)
    state.waiting[player] += 1


@rule
def move_fleet(state, player, old, new):
    state.fleet_ships[player, new] = state.fleet_ships[player, old]
    state.fleet_route[player, new] = state.fleet_route[player, old]
    state.fleet_turns[player, new] = state.fleet_turns[player, old]


@rule
def clear_fleets(state, player, first, end):
    state.fleet_ships[player, first:end] = 0
    state.fleet_route[player, first:end] = 0
    state.fleet_turns[player, first:end] = 0


# ------------------------------------------------------------------------------------------------ the turn


@rule
def step(state, actions, rng):
    for player in range(2):
        action = int(actions[player])
        if action == DONE:
            state.done[player] = 1
        elif action > 0:
            give_order(state, player, action % ROUTES, action // ROUTES)
    if state.done[0] == 1 and state.done[1] == 1:
        finish_turn(state)


@rule
def finish_turn(state):
    landed = np.zeros((2, MAX_PLANETS), np.int32)
    for player in range(2):
        depart(state, player)
    for planet in range(state.planets):
        if state.owner[planet] != NEUTRAL:
            state.ships[planet] += state.growth[planet]
    for player in range(2):
        fly(state, player, landed)
        if state.under_way[player] > state.params.fleets * 3 // 4:
            join_fleets(state, player)
    for planet in range(state.planets):
        if landed[0, planet] != 0 or landed[1, planet] != 0:
            fight(state, planet, int(landed[0, planet]), int(landed[1, planet]))
    state.turn += 1
    settle(state)


@rule
def depart(state, player):
    first = state.under_way[player]
    for k in range(first, first + state.waiting[player]):
        state.ships[state.fleet_route[player, k] // MAX_PLANETS] -= state.fleet_ships[player, k]
    state.under_way[player] += state.waiting[player]
    state.waiting[player] = 0
    state.given[player] = 0
    state.done[player] = 0


@rule
def fly(state, player, landed):
    """Bring every fleet a turn on; those that arrive leave the table, the others move up."""
    count, kept = state.under_way[player], 0
    for k in range(count):
        state.fleet_turns[player, k] -= 1
        if state.fleet_turns[player, k] == 0:
            landed[player, state.fleet_route[player, k] % MAX_PLANETS] += state.fleet_ships[player, k]
        else:
            if kept < k:
                move_fleet(state, player, k, kept)
            kept += 1
    clear_fleets(state, player, kept, count)
    state.under_way[player] = kept


@rule
def join_fleets(state, player):
    """Make one of all fleets that will land on one planet in one turn; it keeps the place and route of the first."""
    count, kept = state.under_way[player], 0
    for k in range(count):
        dest, turns = state.fleet_route[player, k] % MAX_PLANETS, state.fleet_turns[player, k]
        place = 0
        while place < kept and (
            state.fleet_turns[player, place] != turns or state.fleet_route[player, place] % MAX_PLANETS != dest
        ):
            place += 1
        if place < kept:
            state.fleet_ships[player, place] += state.fleet_ships[player, k]
        else:
            move_fleet(state, player, k, kept)
            kept += 1
    clear_fleets(state, player, kept, count)
    state.under_way[player] = kept


@rule
def fight(state, planet, first, second):
    """The garrison and what has landed for either player; the largest force is left with its lead over the next."""
    garrison, owner = int(state.ships[planet]), state.owner[planet]
    neutral = garrison if owner == NEUTRAL else 0
    first += garrison if owner == 1 else 0
    second += garrison if owner == 2 else 0
    most = max(neutral, first, second)
    lead = most - (neutral + first + second - most - min(neutral, first, second))
    state.ships[planet] = lead
    if lead > 0:
        state.owner[planet] = 1 if first == most else 2 if second == most else NEUTRAL


@rule
def settle(state):
    """See whether the game is over. Calls no other rule: the notation runs it as plain Python."""
    alive_1, alive_2 = state.under_way[0] > 0, state.under_way[1] > 0
    lead = 0
    for player in range(2):
        for k in range(state.under_way[player]):
            lead += (1 - 2 * player) * int(state.fleet_ships[player, k])
    for planet in range(state.planets):
        if state.owner[planet] == 1:
            alive_1 = True
            lead += int(state.ships[planet])
        elif state.owner[planet] == 2:
            alive_2 = True
            lead -= int(state.ships[planet])
    if not alive_1 or not alive_2:
        state.outcome = 1 if alive_1 else 2 if alive_2 else DRAW
    elif state.turn >= state.params.turns:
        state.outcome = 1 if lead > 0 else 2 if lead < 0 else DRAW


@rule
def returns(state, out):
    for player in range(2):
        if state.outcome == PLAYING or state.outcome == DRAW:
            out[player] = 0.0
        else:
            out[player] = 1.0 if state.outcome == 1 + player else -1.0


# ------------------------------------------------------------------------------------------------ secrets
# In every joint step whoever is not done gives an order or is done. So a player who has given k orders and goes on
# knows that the rival has given k too, or is done with fewer.


@rule
def hide(state, player):
    withdraw_orders(state, 1 - player)


@rule
def withdraw_orders(state, player):
    first = state.under_way[player]
    clear_fleets(state, player, first, first + state.waiting[player])
    state.waiting[player] = 0
    state.given[player] = 0
    state.done[player] = 0


@rule
def determinize(state, player, rng):
    """Let the rival have given any number of orders that it may have given, each at random."""
    rival = 1 - player
    if state.outcome != PLAYING:
        return
    if state.done[player] == 1:
        guess_orders(state, rival, state.given[player] + 1, rng)
        return
    steps = state.given[player]
    guessed = min(below(rng, steps + 1), most_orders(state, rival))
    guess_orders(state, rival, guessed, rng)
    state.done[rival] = 1 if guessed < steps else 0


@rule
def most_orders(state, player):
    """How many orders the player could give: each takes a ship, and each source at least one place in the table."""
    ships, places = 0, places_left(state, player)
    for planet in range(state.planets):
        if can_send(state, player, planet, places):
            ships += free_ships(state, player, planet)
    return min(ships, MOST_ORDERS)


@rule
def can_send(state, player, planet, places):
    """Whether the planet is among the `places` own ones with the most ships, and has any."""
    if state.owner[planet] != 1 + player or state.ships[planet] == 0:
        return False
    ahead = 0
    for other in range(state.planets):
        more = state.ships[other] - state.ships[planet]
        if state.owner[other] == 1 + player and (more > 0 or (more == 0 and other < planet)):
            ahead += 1
    return ahead < places


@rule
def guess_orders(state, player, count, rng):
    """Random orders of a player who has given none, none so large that a later one would find no ship.

    Where the table might not have a place for each, all that leaves one planet goes one way, so that as many orders
    can be guessed as could have been given.
    """
    places, left = places_left(state, player), most_orders(state, player)
    for later in range(min(count, left) - 1, -1, -1):
        source = any_source(state, player, places, rng)
        dest = (source + 1 + below(rng, state.planets - 1)) % state.planets
        if places < count:
            dest = usual_dest(state, player, source, dest)
        ships = 1 + below(rng, min(free_ships(state, player, source), left - later, MOST_SHIPS))
        give_order(state, player, source * MAX_PLANETS + dest, ships)
        left -= ships


@rule
def usual_dest(state, player, source, other):
    """Where ships from the planet go already this turn, else `other`."""
    first = state.under_way[player]
    for k in range(first, first + state.waiting[player]):
        if state.fleet_route[player, k] // MAX_PLANETS == source:
            return int(state.fleet_route[player, k]) % MAX_PLANETS
    return int(other)


@rule
def any_source(state, player, places, rng):
    """One of the player's planets that can send ships, each equally likely."""
    chosen, seen = -1, 0
    for planet in range(state.planets):
        if can_send(state, player, planet, places) and free_ships(state, player, planet) > 0:
            seen += 1
            if below(rng, seen) == 0:
                chosen = planet
    return chosen


@rule
def twin(state, player, rng):
    """Send the rival's first waiting fleet elsewhere; or if it closed its orders at once, let it have given some."""
    rival = 1 - player
    if state.waiting[rival] > 0 and state.planets > 2:
        reroute(state, rival)
        return True
    steps = state.given[player]
    if state.done[rival] == 1 and state.given[rival] == 0 and most_orders(state, rival) >= steps:
        state.done[rival] = 0
        guess_orders(state, rival, steps, rng)
        return True
    return False


@rule
def reroute(state, player):
    place = state.under_way[player]
    end = place + state.waiting[player]
    route, ships = int(state.fleet_route[player, place]), int(state.fleet_ships[player, place])
    for k in range(place + 1, end):
        move_fleet(state, player, k, k - 1)
    clear_fleets(state, player, end - 1, end)
    state.waiting[player] -= 1
    state.given[player] -= 1
    source, dest = route // MAX_PLANETS, (route % MAX_PLANETS + 1) % state.planets
    if dest == source:
        dest = (dest + 1) % state.planets
    give_order(state, player, source * MAX_PLANETS + dest, ships)


# ------------------------------------------------------------------------------------------------ judging a position

HORIZON = 30  # turns; about the width of a map


@rule
def heuristic(state, player):
    """The lead in ships, on planets, under way and still to be built within the horizon, as a share of all of them."""
    if state.outcome != PLAYING:
        return 0.0 if state.outcome == DRAW else 1.0 if state.outcome == 1 + player else -1.0
    turns = min(HORIZON, state.params.turns - state.turn)
    mine = wealth(state, player, turns)
    theirs = wealth(state, 1 - player, turns)
    return (mine - theirs) / (mine + theirs) if mine + theirs > 0 else 0.0


@rule
def wealth(state, player, turns):
    ships = 0
    for planet in range(state.planets):
        if state.owner[planet] == 1 + player:
            ships += int(state.ships[planet]) + turns * int(state.growth[planet])
    for k in range(state.under_way[player]):
        ships += int(state.fleet_ships[player, k])
    return ships


@rule
def valid(state):
    if not 2 <= state.planets <= MAX_PLANETS or not 0 <= state.turn <= state.params.turns:
        return False
    for planet in range(MAX_PLANETS):
        if planet >= state.planets and (state.owner[planet] != 0 or state.ships[planet] != 0):
            return False
        if not 0 <= state.owner[planet] <= 2 or state.ships[planet] < 0 or not 0 <= state.growth[planet] <= MAX_GROWTH:
            return False
    if not orders_fit_together(state):
        return False
    return has_valid_fleets(state, 0) and has_valid_fleets(state, 1)


@rule
def orders_fit_together(state):
    """The players have taken equally many steps this turn, but for those after one was done."""
    if state.outcome != PLAYING:
        return state.given.sum() == 0 and state.done.sum() == 0
    if state.done[0] == 0 and state.done[1] == 0:
        return state.given[0] == state.given[1]
    if state.done[0] == 1 and state.done[1] == 1:
        return False
    first = 0 if state.done[0] == 1 else 1
    return state.given[1 - first] > state.given[first]


@rule
def has_valid_fleets(state, player):
    flying, waiting = state.under_way[player], state.waiting[player]
    if waiting > state.given[player] or state.given[player] > MOST_ORDERS or flying + waiting > MAX_FLEETS:
        return False
    for k in range(MAX_FLEETS):
        route, ships = state.fleet_route[player, k], state.fleet_ships[player, k]
        source, dest, turns = route // MAX_PLANETS, route % MAX_PLANETS, state.fleet_turns[player, k]
        if k >= flying + waiting:
            if ships != 0 or route != 0 or turns != 0:
                return False
        elif ships < 1 or source == dest or max(source, dest) >= state.planets:
            return False
        elif not 1 <= turns <= trip(state, source, dest):
            return False
        elif k >= flying and (state.owner[source] != 1 + player or free_ships(state, player, source) < 0):
            return False
    return True


# ------------------------------------------------------------------------------------------------ features

PER_PLANET = 11
GENERAL = MAX_PLANETS * PER_PLANET
FEATURES, POLICY = GENERAL + 6, 1 + 3 * ROUTES
SOON = 5  # turns


@rule
def observe(state, player, out):
    """For each planet: is there; mine +1, the rival's -1; ships; growth; my free ships; my ships that land soon and
    later; the rival's soon and later; where it lies. Then the turn, leads in ships and growth, fleets, orders given."""
    for k in range(FEATURES):
        out[k] = 0.0
    middle_x, middle_y = state.x.sum() / state.planets, state.y.sum() / state.planets
    for planet in range(state.planets):
        base = planet * PER_PLANET
        observe_planet(state, player, planet, out[base : base + PER_PLANET])
        out[base + 9] = (state.x[planet] - middle_x) / 20.0
        out[base + 10] = (state.y[planet] - middle_y) / 20.0
    add_landings(state, player, state.under_way[player] + state.waiting[player], 5, out)
    add_landings(state, 1 - player, state.under_way[1 - player], 7, out)
    for planet in range(state.planets):
        for k in range(planet * PER_PLANET + 5, planet * PER_PLANET + 9):
            out[k] = squashed(out[k])
    observe_balance(state, player, out[GENERAL:])


@rule
def observe_planet(state, player, planet, out):
    mine = state.owner[planet] == 1 + player
    out[0] = 1.0
    out[1] = 1.0 if mine else 0.0 if state.owner[planet] == NEUTRAL else -1.0
    out[2] = squashed(state.ships[planet])
    out[3] = min(1.0, state.growth[planet] / 5.0)
    out[4] = squashed(free_ships(state, player, planet)) if mine else 0.0


@rule
def add_landings(state, player, fleets, column, out):
    for k in range(fleets):
        later = 0 if state.fleet_turns[player, k] <= SOON else 1
        out[int(state.fleet_route[player, k]) % MAX_PLANETS * PER_PLANET + column + later] += state.fleet_ships[
            player, k
        ]


@rule
def observe_balance(state, player, out):
    ships, rival_ships = wealth(state, player, 0), wealth(state, 1 - player, 0)
    growth = wealth(state, player, 1) - ships
    rival_growth = wealth(state, 1 - player, 1) - rival_ships
    out[0] = state.turn / state.params.turns
    out[1] = (ships - rival_ships) / max(1, ships + rival_ships)
    out[2] = (growth - rival_growth) / max(1, growth + rival_growth)
    out[3] = state.under_way[player] / state.params.fleets
    out[4] = state.under_way[1 - player] / state.params.fleets
    out[5] = min(1.0, state.given[player] / state.params.menu_orders)


@rule
def squashed(ships):
    """From 0 … many to 0 … 1, with half at 50 ships."""
    return ships / (ships + 50.0)


@rule
def policy_slot(state, player, action):
    """DONE; then all, half, and any other number of ships, over each route."""
    if action == DONE:
        return 0
    ships, route = action // ROUTES, action % ROUTES
    free = min(free_ships(state, player, route // MAX_PLANETS), MOST_SHIPS)
    share = 0 if ships == free else 1 if ships == free // 2 else 2
    return 1 + share * ROUTES + route


# ------------------------------------------------------------------------------------------------ symmetries

SYMMETRIES = 8


@rule
def reflect(state, symmetry):
    """Turn the plane by symmetry % 4 quarters and, for symmetry >= 4, mirror it; planets keep their numbers."""
    for planet in range(state.planets):
        for _ in range(symmetry % 4):
            x = state.x[planet]
            state.x[planet] = 0.0 - state.y[planet]  # not -y, which would make -0.0 of 0.0
            state.y[planet] = x
        if symmetry >= 4:
            state.x[planet] = 0.0 - state.x[planet]


# ------------------------------------------------------------------------------------------------ notation


def is_revealed(earlier, now, player, action):
    return now.turn > earlier.turn  # when the turn ends, its fleets leave for all to see


def objection(params, players):
    if params.maps != CLASSIC and params.pairs != PARAMS.declared["pairs"].default:
        return "maps of the finals draw their own number of planets, so leave pairs alone"
    return ""


def action_text(state, player, action):
    if action == DONE:
        return "go"
    return f"{action // MAX_PLANETS % MAX_PLANETS} {action % MAX_PLANETS} {action // ROUTES}"


def action_kind(state, player, action):
    """What an order is for: whose planet the ships go to."""
    if action == DONE:
        return "go"
    owner = int(state.owner[action % MAX_PLANETS])
    return "expand" if owner == NEUTRAL else "supply" if owner == 1 + player else "attack"


def parse_action(state, player, text):
    """An order as in the contest, "4 7 20"; "go" or "done" closes the orders."""
    if text.strip().lower() in ("go", "done"):
        return DONE
    source, dest, ships = texts.read_order(text.split(), "order")
    return texts.order_action(texts.position_of(state), Order(1 + player, source, dest, ships), "order")


def parse_orders(state, player, text):
    """The actions behind a bot's answer to a turn, DONE last; what the contest refused is told with its line.

    Orders over one route are one action, so that a bot may write as many as it likes. An order from a planet to itself
    took ships and brought them back in the same turn: it is checked, and no action.
    """
    position, routes = texts.position_of(state), {}
    for where, *numbers in texts.read_orders(text):
        order = Order(1 + player, *numbers)
        texts.check_order(position, order, where)
        position.orders.append(order)
        if order.source != order.dest:
            route = order.source * MAX_PLANETS + order.dest
            routes[route] = routes.get(route, 0) + order.ships
    parts = (
        (route, min(MOST_SHIPS, ships - k)) for route, ships in routes.items() for k in range(0, ships, MOST_SHIPS)
    )
    actions = [ships * ROUTES + route for route, ships in parts]
    if (fleets := int(state.under_way[player]) + len(routes)) > state.params.fleets:
        raise BadNotation(f"{fleets} fleets of one player are more than the {state.params.fleets} of the table")
    return [*actions, DONE]


def state_text(state):
    return texts.write_position(texts.position_of(state), int(state.params.turns))


def parse_state(text, state):
    _fill(state, texts.read_position(text))


def contest_text(state, player):
    """What the contest's engine sends to a player, who is always number 1 in it."""
    return texts.write_records(texts.position_of(state).seen_by(player)) + "\ngo\n"


def parse_contest(text, state, player):
    """Fill a zeroed record from what the engine sends to a player."""
    _fill(state, texts.read_position(text).seen_by(player))


def playback_text(states):
    """A match for the contest's viewer, from its positions at the start and after every turn."""
    return texts.write_playback([texts.position_of(state) for state in states])


def parse_playback(text, state):
    """The positions of a match, from the contest's string; `state` is a zeroed record with the params."""
    positions = texts.read_playback(text)
    states = np.full(len(positions), state, State)
    for k, position in enumerate(positions):
        _fill(states[k], position)
    return states


def departures(state, player):
    """The actions by which the fleets left that have been under way for one turn, DONE last."""
    actions = []
    for k in range(state.under_way[player]):
        source, dest = divmod(int(state.fleet_route[player, k]), MAX_PLANETS)
        turns = texts.trip_turns(state.x[source] - state.x[dest], state.y[source] - state.y[dest])
        if turns == state.fleet_turns[player, k] + 1:
            actions.append(int(state.fleet_ships[player, k]) * ROUTES + source * MAX_PLANETS + dest)
    return [*actions, DONE]


def _fill(state, position):
    texts.fill(state, position)
    getattr(settle, "py_func", settle)(state)


def outcome_text(state):
    if state.outcome == DRAW:
        return f"a draw after turn {state.turn}"
    loser = 2 - state.outcome
    gone = state.under_way[loser] == 0 and not (state.owner == 1 + loser).any()
    reason = "the rival has nothing left" if gone else "more ships"
    return f"player {state.outcome} wins after turn {state.turn}: {reason}"


def forfeit(state, *players):
    """Strike players off, as the contest did: planets turn neutral, fleets and orders vanish with their ships, and the
    rival wins; both draw."""
    for player in (0, 1):
        if player in players:
            waiting = slice(state.under_way[player], state.under_way[player] + state.waiting[player])
            sources = state.fleet_route[player, waiting] // MAX_PLANETS
            np.subtract.at(state.ships, sources, state.fleet_ships[player, waiting])
        kept = 0 if player in players else state.under_way[player]
        for table in (state.fleet_ships, state.fleet_route, state.fleet_turns):
            table[player, kept:] = 0
        state.under_way[player] = kept
        state.waiting[player] = state.given[player] = state.done[player] = 0
        if player in players:
            state.owner[state.owner == 1 + player] = NEUTRAL
    state.outcome = DRAW if len(set(players)) == 2 else 2 - players[0]
