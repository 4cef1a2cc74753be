"""Organism once more, slowly: elements in a dictionary, and a match as one generator that asks for choices."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from ludus import load

EAST, NORTH_EAST, NORTH_WEST, WEST, SOUTH_WEST, SOUTH_EAST = (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1), (1, 0)
COMPASS = [EAST, NORTH_EAST, NORTH_WEST, WEST, SOUTH_WEST, SOUTH_EAST]
VICTIM_OF = {"E": "G", "G": "M", "M": "E"}
INTRODUCTIONS = ["EGM", "EMG", "GEM", "GME", "MEG", "MGE"]

Cell = tuple[int, int]
Choice = Generator[set[int], int, int]


@dataclass(eq=False)
class Element:
    owner: int
    kind: str
    food: int
    organism: int = 0


class GameOver(Exception):
    pass


def naive_from(state) -> NaiveOrganism:
    return NaiveOrganism(load("organism").params.read(state.params))


class NaiveOrganism:
    def __init__(self, rules):
        self.rules = rules
        self.rings = rules["rings"]
        self.order = list(self.spiral())  # cells in the order of their numbers
        corners = {self.ring(self.rings - 1)[k * (self.rings - 1)] for k in range(6)}
        self.cells = set(self.order) - (corners if rules["notches"] == "on" else set())
        self.elements: dict[Cell, Element] = {}
        self.free = {}  # food that lies about
        self.tokens = [0, 0]
        self.player = 0
        self.reckonings = 0
        self.winner: int | None = None
        self.set_up()
        self.match = self.whole_match()
        self.menu: set[int] | None = next(self.match, None)

    # -------------------------------------------------------------------------------------------- what the tests ask

    def to_act(self):
        return set() if self.menu is None else {self.player}

    def legal(self, player):
        return self.menu

    def step(self, actions, after):
        try:
            self.menu = self.match.send(actions[self.player])
        except StopIteration:
            self.menu = None

    def returns(self):
        return [0.0 if self.winner is None else 1.0 if self.winner == player else -1.0 for player in (0, 1)]

    def differs(self, state):
        for number, cell in enumerate(self.order):
            element = self.elements.get(cell)
            piece, food = 0 if cell in self.cells else 12, self.free.get(cell, 0)
            if element:
                piece, food = 4 * (1 + element.owner) + "EGM".index(element.kind), element.food
            if (piece, food) != (state.piece[number], state.food[number]):
                return f"cell {number} should be {piece} with {food} food"
        if list(state.tokens) != self.tokens:
            return f"tokens should be {self.tokens}"
        if (state.mover, state.turns) != (self.player, self.reckonings):
            return f"player {self.player} should be on turn after {self.reckonings} reckonings"
        if state.winner != (0 if self.winner is None else 1 + self.winner):
            return f"the winner should be {self.winner}"
        return ""

    # -------------------------------------------------------------------------------------------- board

    def ring(self, radius) -> list[Cell]:
        """Walk round the centre: from the eastern corner, along six sides."""
        cell, walked = (0, radius), []
        for side in range(6):
            for _ in range(radius):
                walked.append(cell)
                cell = self.beyond(cell, COMPASS[(side + 2) % 6])
        return walked

    def spiral(self):
        yield (0, 0)
        for radius in range(1, self.rings):
            yield from self.ring(radius)

    def beyond(self, cell, direction) -> Cell:
        return cell[0] + direction[0], cell[1] + direction[1]

    def around(self, cell) -> list[Cell]:
        return [near for near in (self.beyond(cell, d) for d in COMPASS) if near in self.cells]

    def is_empty(self, cell):
        return cell in self.cells and cell not in self.elements

    def code(self, plane, cell):
        return plane * len(self.order) + self.order.index(cell)

    def extra(self, number):
        return 21 * len(self.order) + number

    def owned(self, player):
        return [cell for cell in self.order if cell in self.elements and self.elements[cell].owner == player]

    def group(self, cell) -> set[Cell]:
        owner, found, border = self.elements[cell].owner, {cell}, [cell]
        while border:
            for near in self.around(border.pop()):
                if near in self.elements and self.elements[near].owner == owner and near not in found:
                    found.add(near)
                    border.append(near)
        return found

    def groups(self, player) -> list[set[Cell]]:
        return [group for cell in self.owned(player) if cell == min(group := self.group(cell), key=self.order.index)]

    def is_whole(self, group):
        return {self.elements[cell].kind for cell in group} == set("EGM")

    # -------------------------------------------------------------------------------------------- course of the match

    def set_up(self):
        outer = self.ring(self.rings - 1)
        self.homes: list[list[Cell]] = []
        for player in (0, 1):
            first = {3: 0, 4: 0, 5: 1, 6: 1, 7: 2}[self.rings]
            if self.rules["start"] == "placed":
                first = self.rules["start_step"]
            self.homes.append([outer[(first + k + len(outer) // 2 * player) % len(outer)] for k in range(3)])
        for radius in range(self.rings):
            for cell in set(self.ring(radius) or [(0, 0)]) & self.cells:
                self.free[cell] = self.rules[f"food_{radius}"]
        if self.rules["start"] == "placed":
            for player in (0, 1):
                self.put(player, "EMG")

    def put(self, player, kinds):
        for cell, kind in zip(self.homes[player], kinds):
            food = self.rules["start_food"] + (self.rules["second_food"] if player else 0)
            self.elements[cell] = Element(player, kind, food)
            self.free[cell] = 0

    def whole_match(self):
        try:
            while True:
                yield from self.turn()
                self.player = 1 - self.player
        except GameOver:
            return

    def end(self, winner):
        self.winner = winner
        raise GameOver

    def decide(self, options: set[int]) -> Choice:
        """Ask, unless there is but one answer."""
        return (yield options) if len(options) > 1 else next(iter(options))

    def turn(self):
        mine = self.owned(self.player)
        if (0, 0) in mine:
            self.tokens[self.player] += self.rules["centre_tokens"]
            if self.rules["centre_tokens"] and self.has_tokens(self.player):
                self.end(self.player)
        if not mine and self.rules["start"] == "introduced":
            yield from self.introduce()
        waiting = [self.elements[cell] for cell in self.owned(self.player)]
        fixed = {
            id(self.elements[cell]): number for number, group in enumerate(self.groups(self.player)) for cell in group
        }
        while True:
            present = {id(element) for element in self.elements.values()}
            waiting = [element for element in waiting if id(element) in present]
            if not waiting:
                break
            if self.rules["reckoning"] == "turn":
                numbers = {fixed[id(element)] for element in waiting}
                organisms = [[e for e in waiting if fixed[id(e)] == number] for number in numbers]
            else:
                groups = [[self.elements[cell] for cell in group] for group in self.groups(self.player)]
                organisms = [group for group in groups if any(element in waiting for element in group)]
            by_code = {self.code(19, self.lowest(organism)): organism for organism in organisms}
            acting = by_code[(yield from self.decide(set(by_code)))]
            waiting = [element for element in waiting if element not in acting]
            yield from self.organism_turn(list(acting))
            if self.rules["reckoning"] == "organism":
                self.reckon()
        if self.rules["reckoning"] == "turn":
            self.reckon()

    def lowest(self, organism):
        return min(self.cells_of(organism), key=self.order.index)

    def cells_of(self, organism):
        return [cell for cell in self.order if self.elements.get(cell) in organism]

    def introduce(self):
        order = INTRODUCTIONS[(yield {self.extra(4 + k) for k in range(6)}) - self.extra(4)]
        homes = self.homes[self.player]
        for cell in {near for home in homes for near in self.around(home)} | set(homes):
            if cell in self.elements or cell in homes or self.rules["clearing"] == "around":
                self.elements.pop(cell, None)
                self.free[cell] = 0
        self.put(self.player, order)

    # -------------------------------------------------------------------------------------------- actions

    def organism_turn(self, organism):
        kinds = {element.kind for element in organism}
        declared = "EGM"[(yield {self.extra("EGM".index(kind)) for kind in kinds}) - self.extra(0)]
        actions = sum(element.kind == declared for element in organism)
        if self.rules["action_limit"]:
            actions = min(actions, self.rules["action_limit"])
        for _ in range(actions):
            yield from self.action(declared, organism)

    def action(self, declared, organism):
        done = {"E": self.eating, "G": self.growing, "M": self.moving}[declared](organism)
        done |= self.circulating(organism)
        if not done and self.rules["passing"] == "never":
            self.end(1 - self.player)
        options = set(done)
        if self.rules["passing"] == "always":
            options.add(self.extra(3))
        if done:
            chosen = yield options
            if chosen in done:
                yield from done[chosen]()

    def below(self, food, limit):
        return self.rules[limit] == 0 or food < self.rules[limit]

    def eating(self, organism):
        done = {}
        for cell in self.cells_of(organism):
            eater = self.elements[cell]
            if eater.kind != "E" or not self.below(eater.food, "eat_limit"):
                continue
            source = self.rules["eat_from"]
            open_cells = [near for near in self.around(cell) if self.is_empty(near)]
            if source == "supply" or (source == "pile" and any(not self.free.get(near) for near in open_cells)):
                done[self.code(12, cell)] = lambda eater=eater: self.eat(eater, None)
            if source != "supply":
                for d, direction in enumerate(COMPASS):
                    near = self.beyond(cell, direction)
                    if near in open_cells and self.free.get(near):
                        done[self.code(6 + d, cell)] = lambda eater=eater, near=near: self.eat(eater, near)
        return done

    def eat(self, eater, near):
        if self.rules["eat_from"] == "board":
            self.free[near] -= 1
            eater.food += 1
        else:
            eater.food += 1 + (self.free.get(near, 0) if near else 0)
            if near:
                self.free[near] = 0
        yield from ()

    def growing(self, organism):
        growers = [cell for cell in self.cells_of(organism) if self.elements[cell].kind == "G"]
        purse = sum(self.elements[cell].food for cell in growers)
        done = {}
        for cell in {near for grower in growers for near in self.around(grower) if self.is_empty(near)}:
            if self.rules["grow_near_enemy"] == "off" and self.touches(cell, 1 - self.player, "EGM"):
                continue
            for number, kind in enumerate("EGM"):
                cost = sum(element.kind == kind for element in organism)
                if cost <= purse:
                    done[self.code(13 + number, cell)] = lambda *a, c=cell, k=kind, n=cost: self.grow(organism, c, k, n)
        return done

    def grow(self, organism, cell, kind, cost):
        while cost:
            payers = [near for near in self.cells_of(organism) if self.elements[near].kind == "G"]
            payers = [near for near in payers if self.elements[near].food]
            if sum(self.elements[near].food for near in payers) == cost:
                for near in payers:
                    self.elements[near].food = 0
                break
            chosen = yield from self.decide({self.code(16, near) for near in payers})
            payer = next(near for near in payers if self.code(16, near) == chosen)
            self.elements[payer].food -= 1
            cost -= 1
        found = self.free.get(cell, 0) if self.rules["grow_food"] == "absorb" else 0
        self.elements[cell] = Element(self.player, kind, found)
        self.free[cell] = 0
        organism.append(self.elements[cell])

    def touches(self, cell, owner, kinds):
        nearby = [self.elements[near] for near in self.around(cell) if near in self.elements]
        return any(element.owner == owner and element.kind in kinds for element in nearby)

    def moving(self, organism):
        done = {}
        for cell in self.cells_of(organism):
            mover = self.elements[cell]
            mobile = mover.kind == "M" or self.touches(cell, self.player, "M")
            alive = self.rules["move_alive"] == "off" or self.is_whole(self.group(cell))
            if mover.food and mobile and alive:
                for d, direction in enumerate(COMPASS):
                    target = self.beyond(cell, direction)
                    if self.is_empty(target) and not self.is_blocked(target, mover):
                        done[self.code(d, cell)] = lambda cell=cell, target=target: self.move(cell, target)
        return done

    def is_blocked(self, target, mover):
        return self.rules["move_blocked"] == "on" and self.touches(target, 1 - mover.owner, mover.kind)

    def move(self, cell, target):
        mover, pile = self.elements[cell], self.free.get(target, 0)
        if self.rules["move_food"] == "absorb":
            mover.food += pile
        places = {self.code(20, near): near for near in self.around(target) if self.is_empty(near) and near != cell}
        if self.rules["move_food"] == "push" and pile and places:
            place = places[(yield from self.decide(set(places)))]
            self.free[place] = self.free.get(place, 0) + pile
        self.free[target] = 0
        self.elements[target] = self.elements.pop(cell)

    def circulating(self, organism):
        done = {}
        for cell in self.cells_of(organism):
            if self.elements[cell].food and self.takers(cell, organism):
                done[self.code(17, cell)] = lambda cell=cell: self.circulate(cell, organism)
        return done

    def takers(self, cell, organism):
        if self.rules["reach"] == "organism":
            near = [other for other in self.cells_of(organism) if other != cell]
        else:
            near = [other for other in self.around(cell) if other in self.owned(self.player)]
        return {self.code(18, other): other for other in near if self.below(self.elements[other].food, "hold_limit")}

    def circulate(self, cell, organism):
        takers = self.takers(cell, organism)
        taker = takers[(yield from self.decide(set(takers)))]
        have = self.elements[cell].food
        amount = {"one": 1, "half": have - have // 2, "all": have}[self.rules["flow"]]
        self.elements[cell].food -= amount
        self.elements[taker].food += amount

    # -------------------------------------------------------------------------------------------- reckoning

    def reckon(self):
        captors = self.capture()
        self.check_integrity(captors)
        self.reckonings += 1
        self.look_for_winner()
        if self.rules["stalemate"] == "on" and self.is_frozen():
            self.end(1 - self.player)
        if self.reckonings >= self.rules["turn_limit"]:
            lead = self.tokens[0] - self.tokens[1]
            self.end(None if self.rules["cutoff"] == "draw" or not lead else 0 if lead > 0 else 1)

    def capture(self):
        """Solve the graph of captures; give back the elements that captured."""
        pairs = []
        for cell, element in self.elements.items():
            for near in self.around(cell):
                other = self.elements.get(near)
                if other and other.owner != element.owner and VICTIM_OF[element.kind] == other.kind:
                    pairs.append((cell, near))
        if self.rules["cycle"] == "cancel" and self.is_deadlocked(pairs):
            return []
        if self.rules["capture_token"] == "pair":
            for captor, _ in pairs:
                self.tokens[self.elements[captor].owner] += 1
        captured = []
        while True:
            busy = {captor for captor, _ in pairs}
            free_to_go = {victim for _, victim in pairs if victim not in busy}
            if not free_to_go:
                return captured
            for victim in free_to_go:
                captors = [captor for captor, other in pairs if other == victim]
                captured += [self.elements[captor] for captor in captors]
                self.remove_victim(victim, captors)
            pairs = [pair for pair in pairs if pair[1] not in free_to_go]

    def is_deadlocked(self, pairs):
        """Whether the captures cannot all be carried out, however long one waits."""
        harmless = {victim for _, victim in pairs} - {captor for captor, _ in pairs}
        if harmless:
            return self.is_deadlocked([pair for pair in pairs if pair[1] not in harmless])
        return bool(pairs)

    def remove_victim(self, victim, captors):
        fallen = self.elements.pop(victim)
        if self.rules["victim_food"] == "captor":
            share, rest = divmod(fallen.food, len(captors))
            for captor in captors:
                self.elements[captor].food += share
            self.free[victim] = rest
        else:
            self.free[victim] = {"stay+1": fallen.food + 1, "stay": fallen.food, "vanish": 0}[self.rules["victim_food"]]
        if self.rules["capture_token"] == "victim":
            self.tokens[1 - fallen.owner] += 1

    def check_integrity(self, captors):
        me, rival = self.player, 1 - self.player
        broken = [[group for group in self.groups(player) if not self.is_whole(group)] for player in (0, 1)]
        for player in (0, 1):
            for group in broken[player]:
                if player == me and self.rules["sacrifice"] == "on" and any(self.elements[c] in captors for c in group):
                    self.tokens[rival] += 1
                if self.rules["integrity_token"] == "element":
                    self.tokens[1 - player] += len(group)
                for cell in group:
                    self.free[cell] = self.elements.pop(cell).food + 1
        if self.rules["integrity_token"] == "organism":
            self.tokens[me] += len(broken[rival])
        if self.rules["integrity_token"] == "player" and broken[rival]:
            self.tokens[me] += 1
        if self.rules["wipe_food"] == "off" and not self.owned(me):
            for cell in set().union(*broken[me]):
                self.free[cell] = 0

    def has_tokens(self, player):
        return self.rules["token_limit"] > 0 and self.tokens[player] >= self.needed(player)

    def needed(self, player):
        return self.rules["token_limit"] + (self.rules["handicap"] if player == 0 else 0)

    def look_for_winner(self):
        organisms = [len(self.groups(player)) for player in (0, 1)]
        limit = self.rules["organism_limit"]
        alone = [player for player in (0, 1) if self.rules["elimination"] == "on" and not self.owned(1 - player)]
        many = [player for player in (0, 1) if limit and organisms[player] >= limit]
        rich = [player for player in (0, 1) if self.has_tokens(player)]
        if self.rules["contest"] == "together":
            winners = {*alone, *many, *rich}
        elif alone:
            winners = set(alone)
        elif many:
            winners = {player for player in many if organisms[player] == max(organisms)}
        else:
            lead = {player: self.tokens[player] - self.needed(player) for player in rich}
            winners = {player for player in rich if lead[player] == max(lead.values())}
        if len(winners) == 2:
            self.end({"next": 1 - self.player, "mover": self.player, "draw": None}[self.rules["tie"]])
        if winners:
            self.end(winners.pop())

    def is_frozen(self):
        if (0, 0) in self.elements or not self.owned(0) or not self.owned(1):
            return False
        return not any(self.could_leave_or_grow(cell) for cell in self.elements)

    def could_leave_or_grow(self, cell):
        element = self.elements[cell]
        room = [near for near in self.around(cell) if self.is_empty(near)]
        mobile = element.kind == "M" or self.touches(cell, element.owner, "M")
        if mobile and any(not self.is_blocked(near, element) for near in room):
            return True
        anywhere = self.rules["grow_near_enemy"] == "on"
        fields = [near for near in room if anywhere or not self.touches(near, 1 - element.owner, "EGM")]
        return element.kind == "G" and bool(fields)
