"""SVG that reads well everywhere: on light and dark pages, in a notebook, in a report, as a file of its own.

A `Picture` collects shapes. How a shape looks is said by names of classes, never by colours: the style sheet below
gives each name a colour for light and for dark, so that all games look like one family. What lies on the look `night`,
which is dark on every page, adds the look `sky`. Seats differ in colour (the set of Okabe and Ito, which colour-blind
people can tell apart) and should also differ in shape or label.
"""

from __future__ import annotations

import html
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager

Point = tuple[float, float]

# Corners of the marks of seats 1, 2 and 3: square, diamond, hexagon. Seat 0 is a circle.
TOKENS = (
    ((-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)),
    ((0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0)),
    ((-1.1, 0), (-0.55, -0.96), (0.55, -0.96), (1.1, 0), (0.55, 0.96), (-0.55, 0.96)),
)

STYLE = """
.ludus{--ink:#1d2027;--soft:#656b76;--paper:#fbfaf7;--board:#efe9dc;--board2:#dcd3bf;--edge:#b9ae97;--hot:#e0447c;
--can:#1a9f6c;--seat0:#0072b2;--seat1:#d55e00;--seat2:#009e73;--seat3:#b1568f;--on-seat:#fff;--night:#171c2b;
--star:#f0e442;--wall:#4b4f57;--neutral:#9aa0a8}
@media (prefers-color-scheme:dark){.ludus{--ink:#eceef1;--soft:#a3a9b4;--paper:#191c21;--board:#2b2f37;--board2:#383d47;
--edge:#525966;--hot:#ff6f9f;--can:#41d39a;--seat0:#3f9fe0;--seat1:#f0812b;--seat2:#25c295;--seat3:#d583b8;
--on-seat:#10131a;--night:#0d101a;--wall:#8b919c;--neutral:#737a85}}
.ludus .sky{--ink:#eceef1;--soft:#a3a9b4;--edge:#525966;--hot:#ff6f9f;--can:#41d39a;--seat0:#3f9fe0;--seat1:#f0812b;
--seat2:#25c295;--seat3:#d583b8;--on-seat:#10131a;--neutral:#737a85}
.ludus text{font-family:system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;fill:var(--ink);user-select:none}
.ludus .mono{font-family:ui-monospace,"DejaVu Sans Mono",monospace;white-space:pre}
.ludus .middle{text-anchor:middle}
.ludus .end{text-anchor:end}
.ludus .bold{font-weight:700}
.ludus .soft{fill:var(--soft)}
.ludus .paper{fill:var(--paper)}
.ludus .board{fill:var(--board)}
.ludus .board2{fill:var(--board2)}
.ludus .night{fill:var(--night)}
.ludus .star{fill:var(--star)}
.ludus .wall{fill:var(--wall)}
.ludus .neutral{fill:var(--neutral)}
.ludus .ink{fill:var(--ink)}
.ludus .hot{fill:var(--hot)}
.ludus .white{fill:#fbfaf7}
.ludus .black{fill:#1d2027}
.ludus .seat0{fill:var(--seat0)}
.ludus .seat1{fill:var(--seat1)}
.ludus .seat2{fill:var(--seat2)}
.ludus .seat3{fill:var(--seat3)}
.ludus .on-seat{fill:var(--on-seat)}
.ludus .none{fill:none}
.ludus .faint{opacity:.35}
.ludus .edge{stroke:var(--edge);stroke-width:1}
.ludus .rim{stroke:var(--ink);stroke-width:1.5}
.ludus .rim0{stroke:var(--seat0);stroke-width:2.5}
.ludus .rim1{stroke:var(--seat1);stroke-width:2.5}
.ludus .rim2{stroke:var(--seat2);stroke-width:2.5}
.ludus .rim3{stroke:var(--seat3);stroke-width:2.5}
.ludus .dashed{stroke-dasharray:4 3}
.ludus .thin{stroke-width:1.25}
.ludus .outlined{paint-order:stroke;stroke:var(--night);stroke-width:3;stroke-linejoin:round}
.ludus .last{stroke:var(--hot);stroke-width:3}
.ludus .part{cursor:default}
.ludus .can{cursor:pointer}
.ludus .halo{fill:none;stroke:none;pointer-events:all}
.ludus .can>.halo,.ludus .chosen>.halo{stroke:var(--can);stroke-width:3;stroke-dasharray:2 4;stroke-linecap:round}
.ludus .can:hover>.halo,.ludus .can:focus>.halo,.ludus .chosen>.halo{stroke-dasharray:none;stroke-width:4}
.ludus .part:focus{outline:none}
.ludus.wide .backdrop{display:none}
.ludus.wide .below{transform:var(--beside)}
"""


class Picture:
    """An SVG under construction. Lengths are in the picture's own units; it fills whatever width it is given."""

    def __init__(self, width: float, height: float, title: str):
        self.width, self.height, self.title = width, height, title
        self.tones: tuple[str, ...] = ()
        """Looks of the seats in their order, where a game has colours of its own; a page can follow them."""
        self._fold = 0.0
        self._shapes: list[str | tuple[str, str]] = []
        """Finished markup, and a key and label where a part opens."""

    def add(self, tag: str, look: str, inner: str = "", **attributes: object) -> None:
        """Any element; `look` names classes, and `_` in an attribute's name stands for `-`."""
        written = "".join(
            f' {name.replace("_", "-")}="{html.escape(value) if isinstance(value, str) else _number(value)}"'
            for name, value in attributes.items()
        )
        self._shapes.append(f'<{tag} class="{look}"{written}>{inner}</{tag}>')

    def rect(self, x: float, y: float, width: float, height: float, look: str, round: float = 0) -> None:
        self.add("rect", look, x=x, y=y, width=width, height=height, rx=round)

    def circle(self, x: float, y: float, radius: float, look: str) -> None:
        self.add("circle", look, cx=x, cy=y, r=radius)

    def line(self, start: Point, end: Point, look: str) -> None:
        self.add("line", look, x1=start[0], y1=start[1], x2=end[0], y2=end[1])

    def polygon(self, corners: Iterable[Point], look: str) -> None:
        self.add("polygon", look, points=" ".join(f"{_number(x)},{_number(y)}" for x, y in corners))

    def path(self, commands: str, look: str) -> None:
        self.add("path", look, d=commands)

    def text(self, x: float, y: float, words: str, look: str = "middle", size: float = 12) -> None:
        """Words with their baseline at y."""
        self.add("text", look, html.escape(words), x=x, y=y, font_size=size)

    def token(self, x: float, y: float, radius: float, seat: int, look: str = "") -> None:
        """The mark of a seat: its colour, its shape and its number."""
        if seat == 0:
            self.circle(x, y, radius, f"seat0 {look}")
        else:
            self.polygon([(x + radius * dx, y + radius * dy) for dx, dy in TOKENS[seat - 1]], f"seat{seat} {look}")
        self.text(x, y + 0.4 * radius, str(seat + 1), f"middle bold on-seat {look}", 1.1 * radius)

    def button(self, key: str, x: float, y: float, width: float, words: str) -> None:
        """A part that looks like a button, 36 high."""
        with self.part(key, words):
            self.rect(x, y, width, 36, "board2 edge", round=8)
            self.text(x + width / 2, y + 23, words, "middle bold", 14)
            self.rect(x, y, width, 36, "halo", round=8)

    def fold(self, y: float) -> None:
        """What is drawn from now on lies below y; on a wide page it may stand beside what lies above."""
        self._fold = y
        self._shapes.append('</g><g class="below">')

    @contextmanager
    def part(self, key: str, label: str) -> Iterator[None]:
        """Shapes that a person can click or reach by keyboard; `label` is what a screen reader says.

        Draw a last shape with the look `halo` in it: it lights up when the part begins an action.
        """
        self._shapes.append((key, label))
        yield
        self._shapes.append("</g>")

    @property
    def parts(self) -> frozenset[str]:
        """The keys of all parts."""
        return frozenset(shape[0] for shape in self._shapes if not isinstance(shape, str))

    def svg(self, can: Collection[str] = ()) -> str:
        """The markup; parts named in `can` begin an action, and look like it."""
        shapes = "".join(
            shape if isinstance(shape, str) else _opened(*shape, shape[0] in can) for shape in self._shapes
        )
        box = f"0 0 {_number(self.width)} {_number(self.height)}"
        # At its own size where nothing says otherwise (a file, a notebook); a page's style sheet may stretch it.
        size = f'width="{_number(self.width)}" height="{_number(self.height)}"'
        tones = f' data-tones="{" ".join(self.tones)}"' if self.tones else ""
        tones += f' data-fold="{_number(self._fold)}"' if self._fold else ""
        shapes = f"<g>{shapes}</g>" if self._fold else shapes
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="ludus" viewBox="{box}" {size} role="group"{tones} '
            f'aria-label="{html.escape(self.title)}"><style>{STYLE}</style>{shapes}</svg>'
        )


def _opened(key: str, label: str, can: bool) -> str:
    state = 'class="part can" tabindex="0" role="button"' if can else 'class="part"'
    return f'<g {state} data-part="{html.escape(key)}" aria-label="{html.escape(label)}">'


def _number(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def seat_name(seat: int) -> str:
    """Seats are counted from 1 for people."""
    return f"player {seat + 1}"
