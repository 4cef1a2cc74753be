"""Pictures as arrays of colours, for libraries that know nothing of SVG."""

from __future__ import annotations

import io
import re

import numpy as np

from ludus.draw import picture
from ludus.errors import MissingPackage
from ludus.game import View

WIDTH = 480


def pixels(view: View, before: View | None = None, width: int = WIDTH) -> np.ndarray:
    """The picture of a view: uint8[height, width, 3]."""
    try:
        import resvg_py
        from PIL import Image
    except ImportError as error:
        raise MissingPackage("a picture as an array", str(error.name), "gymnasium") from None
    image = resvg_py.svg_to_bytes(svg_string=_plain_colours(picture(view, before)), width=width)
    return np.array(Image.open(io.BytesIO(bytes(image))).convert("RGB"))


def _plain_colours(svg: str) -> str:
    """The same picture with its colours written out: the rasteriser knows no variables of CSS."""
    style = svg[svg.index("<style>") : svg.index("</style>")]
    plain = re.sub(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*\}", "", style)
    colours = _colours(plain, ".ludus")
    night = colours | _colours(plain, ".ludus .sky")
    rules = re.findall(r"^(\.ludus [^{}]+)\{([^{}]*var\(--[^{}]*)\}", plain, re.MULTILINE)
    at_night = [
        f"{selector.replace('.ludus', '.ludus .sky')}{{{_written_out(body, night)}}}" for selector, body in rules
    ]
    body = svg.replace(style, _written_out(plain, colours) + "\n".join(at_night))
    return _written_out(body, colours)


def _colours(style: str, selector: str) -> dict[str, str]:
    found = re.search(re.escape(selector) + r"\{((?:\s*--[^{}]*))\}", style)
    return dict(re.findall(r"--([\w-]+):([^;}]+)", found[1])) if found else {}


def _written_out(text: str, colours: dict[str, str]) -> str:
    return re.sub(r"var\(--([\w-]+)\)", lambda name: colours.get(name[1], "none"), text)
