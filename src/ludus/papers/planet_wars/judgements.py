"""The claims of the paper on Planet Wars, each judged by our numbers, and aims of our own."""

from __future__ import annotations

from ludus.papers.claims import Claim, Finding, Found, Judgement, Measure, Verdict, at_least, judged, larger
from ludus.papers.experiments import Measured
from ludus.papers.planet_wars.lineups import BOTH, EXAMPLES, PARTS, READINGS, lead, share


def all_groups(results: Measured) -> dict[str, list[Finding]]:
    """Every finding, in the groups that the page shows."""
    return {
        "examples": examples(results),
        "parts": parts(results),
        "readings": readings(results),
        "weaknesses": weaknesses(results),
        "rank": rank(),
        "champion": champion(results),
    }


def examples(results: Measured) -> list[Finding]:
    def found(spec: str) -> Found:
        measures = [share(results, f"example-{spec}", preset, "planner") for preset in BOTH]
        return measures, at_least(measures[0], 0.98)

    return [
        judged(
            Claim(f"example-{spec}", "Aim", f"The planner beats {name}.", "no numbers"), lambda spec=spec: found(spec)
        )
        for spec, name in EXAMPLES.items()
    ]


def parts(results: Measured) -> list[Finding]:
    def found(part: str) -> Found:
        measures = [share(results, f"part-{part}", preset, "with it, against without") for preset in BOTH]
        return measures, both_ways([lead(results, f"part-{part}", preset, "") for preset in BOTH])

    text = "{} makes the bot stronger."
    names = {
        "forecast": "Predicting the future",
        "defend": "Defence",
        "snipe": "Sniping",
        "attack": "Attack",
        "expand": "Expansion",
        "supply": "Supply of the front",
    }
    return [
        judged(Claim(f"part-{part}", "Sections 2 and 3", text.format(names[part]), "said, not measured"),
               lambda part=part: found(part))
        for part in PARTS
    ]  # fmt: skip


def both_ways(differences: list[Measure]) -> Judgement:
    """`larger` on the first kind of maps, with the other beside it."""
    verdict, why = larger(differences[0])
    return verdict, f"{why}; on the other maps {larger(differences[1])[1].removeprefix('the difference is ')}"


def readings(results: Measured) -> list[Finding]:
    def found(change: str) -> Found:
        measures = [
            share(results, f"reading-{change}", preset, "read so, against the usual reading") for preset in BOTH
        ]
        ahead = lead(results, f"reading-{change}", BOTH[0], "")
        if ahead.low <= 0 <= ahead.high:
            return measures, (Verdict.ANSWERED, "no difference beyond noise")
        return measures, (Verdict.ANSWERED, f"{'better' if ahead.value > 0 else 'worse'} than the usual reading")

    return [
        judged(Claim(f"reading-{change}", "Open", f"{words[0].upper()}{words[1:]}.", "can be read both ways"),
               lambda change=change: found(change))
        for change, words in READINGS.items()
    ]  # fmt: skip


def weaknesses(results: Measured) -> list[Finding]:
    def reckless() -> Found:
        measures = [share(results, "reading-caution=never", preset, "expands without care") for preset in BOTH]
        behind = share(results, "reading-caution=never", BOTH[0], "")
        return measures, larger(Measure("", 0.5, 0.5, 0.5, 0).minus(behind))

    def together() -> Found:
        measures = [share(results, "reading-sources=together", preset, "lands together") for preset in BOTH]
        return measures, larger(lead(results, "reading-sources=together", BOTH[0], ""))

    many = "Too many or badly chosen expansions make one vulnerable."
    better = "Attacks from several planets should be sent so that all land at the same moment."
    return [
        judged(Claim("over-expansion", "Conclusions", many, "said, not measured"), reckless),
        judged(Claim("synchronised", "Conclusions", better, "said, not tried"), together),
    ]


def rank() -> list[Finding]:
    claim = Claim("rank", "Conclusions", "The bot is ranked 105th of over 4,600 entries.", "105th")
    return [Finding(claim, (), Verdict.CANNOT_BE, "the other entries and their server are gone")]


def champion(results: Measured) -> list[Finding]:
    def found() -> Found:
        measures = [share(results, "champion", preset, "champion") for preset in BOTH]
        return measures, at_least(min(measures, key=lambda one: one.value), 0.95)

    return [
        judged(Claim("champion", "Aim", "Our champion beats the planner on both kinds of maps.", "no numbers"), found)
    ]
