"""Slips of the pen in a good draft, each of one kind and drawn from a seeded generator."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from quarry.understanding.text import key_of
from tests.drafting.composing import Drafted, costs, past, products

UNITS = {
    "HP": ("kW", "PSIG"), "hp": ("kW", "psi"), "kW": ("HP", "bar"), "CFM": ("PSIG", "m³/h"), "cfm": ("m³/h", "psi"),
    "SCFM": ("m³/h", "PSIG"), "scfm": ("m³/h",), "PSIG": ("bar", "CFM"), "psi": ("bar", "cfm"), "psig": ("bar",),
    "bar": ("psi", "kW"), "lb": ("kg",), "kg": ("lb",), "in": ("mm",), "dBA": ("Hz",), "°F": ("°C",), "°C": ("°F",),
    "gallons": ("litres",), "gallon": ("litre",), "m³/h": ("CFM", "m³/min"), "m³/min": ("m³/h",), "days": ("weeks",),
    "hours": ("days",), "Litern": ("Gallonen",), "Liter": ("Gallonen",),
}  # fmt: skip
UNIT = re.compile(r"(?<=\d )(?:" + "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True)) + r")(?![\w/])")
PRICE = re.compile(r"\$(?:\[PRICE\]|\d[\d,]*\.\d{2})")
SENTENCE = re.compile(r"[^.!?]*[.!?](?=\s|$)")


@dataclass(frozen=True, slots=True)
class Slip:
    """``lines`` are those of the text that it changed."""

    kind: str
    text: str
    lines: tuple[int, ...]
    was: str
    now: str


def digit(drafted: Drafted, random: Random) -> Slip | None:
    places = [(at, match.start()) for at, line in _letter(drafted) if not line.startswith("#")
              for match in re.finditer(r"\d", line)]  # fmt: skip
    if not places:
        return None
    at, column = random.choice(places)
    line = drafted.text.splitlines()[at]
    other = random.choice([each for each in "0123456789" if each != line[column]])
    return _put(drafted, "digit", {at: line[:column] + other + line[column + 1 :]})


def unit(drafted: Drafted, random: Random) -> Slip | None:
    places = [(at, match) for at, line in _letter(drafted) for match in UNIT.finditer(line)]
    if not places:
        return None
    at, match = random.choice(places)
    line = drafted.text.splitlines()[at]
    other = random.choice(UNITS[match[0]])
    return _put(drafted, "unit", {at: line[: match.start()] + other + line[match.end() :]})


def model(drafted: Drafted, random: Random) -> Slip | None:
    own = [item.model for item in drafted.letter.items if item.model]
    places = [(at, name, match) for at, line in _letter(drafted) for name in own
              for match in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", line)]  # fmt: skip
    if not places:
        return None
    at, name, match = random.choice(places)
    family = products()[name]["family"]
    other = random.choice([each for each, row in products().items() if row["family"] == family and each not in own])
    line = drafted.text.splitlines()[at]
    return _put(drafted, "model", {at: line[: match.start()] + other + line[match.end() :]})


def swapped(drafted: Drafted, random: Random) -> Slip | None:
    """Two lines of two items change places, or a line comes from a machine or a quote that the draft is not about."""
    lines = drafted.text.splitlines()
    bullets = [(at, line) for at, line in _letter(drafted) if line.startswith("- ") and ": " in line
               and _item_of(lines, at) and "[" not in line]  # fmt: skip
    pairs = [(one, two) for one in bullets for two in bullets if one[0] < two[0]
             and one[1].partition(":")[0] == two[1].partition(":")[0] and one[1] != two[1]]  # fmt: skip
    if pairs and random.random() < 0.5:
        one, two = random.choice(pairs)
        return _put(drafted, "swapped line", {one[0]: two[1], two[0]: one[1]})
    copied = [(at, match) for at, line in _letter(drafted) if _copied(lines, at) for match in SENTENCE.finditer(line)
              if len(match[0].split()) > 3]  # fmt: skip
    if not copied:
        return None
    at, match = random.choice(copied)
    used = {item.copied[0] for item in drafted.letter.items} | {drafted.letter.installation[0]}
    others = [sentence[0].strip() for (number, _), row in past()[1].items() if number not in used
              for sentence in [SENTENCE.match(row["description"])]
              if sentence and len(sentence[0].split()) > 5 and re.search(r"\d", sentence[0])
              and "\n" not in sentence[0]]  # fmt: skip
    line = lines[at]
    put = random.choice(others)
    return _put(drafted, "swapped line", {at: f"{line[: match.start()]} {put}{line[match.end() :]}".strip()})


def cost(drafted: Drafted, random: Random) -> Slip | None:
    lines = drafted.text.splitlines()
    places = []
    for at, line in _letter(drafted):
        item = _item_of(lines, at) or (int(line.split("|")[1]) if re.match(r"\| \d+ \|", line) else 0)
        name = drafted.letter.items[item - 1].model if item else ""
        if key_of(name) in costs():
            places += [(at, match, costs()[key_of(name)]) for match in PRICE.finditer(line)]
    if not places:
        return None
    at, match, paid = random.choice(places)
    line = lines[at]
    return _put(drafted, "cost for price", {at: f"{line[: match.start()]}${paid:,.2f}{line[match.end() :]}"})


def customer(drafted: Drafted, random: Random) -> Slip | None:
    lines = drafted.text.splitlines()
    own = drafted.letter.customer
    other = random.choice(sorted({quote["customer"] for quote in past()[0].values()} - {own}))
    places = [at for at, line in _letter(drafted) if own in line]
    if random.random() < 0.5 and places:
        at = random.choice(places)
        return _put(drafted, "another customer", {at: lines[at].replace(own, other)})
    prose = [at for at, line in _letter(drafted) if line.endswith(".") and len(line.split()) > 4]
    at = random.choice(prose)
    said = random.choice((f"{lines[at][:-1]}, as at {other}.", f"{lines[at]} {other} has the same."))
    return _put(drafted, "another customer", {at: said})


PROMISES = (
    "Yes, it will be on site by the end of October.", "Your breaker and your wire can stay.",
    "All goods are AIS and BABA compliant.", "Certificates come with every machine, we guarantee it.",
    "We keep a machine of this size in stock for you.", "The room will stay below 80 °F with it.",
    "The package is approved for hazardous areas.", "We take the old machine back free of charge.",
    "Ja, die Lieferung erfolgt bis Ende Oktober.", "Wir garantieren die Laufruhe auf Dauer.",
    "Die Anlage ist für Ihr Audit zertifiziert.", "Sí, se entrega antes de fin de mes.",
    "Garantizamos diez inviernos.", "It fits through your door.", "The machine is whisper quiet.",
    "It needs no maintenance.", "It will pay for itself within a year.", "It complies with all local codes.",
    "It keeps running in any ambient.", "The unit fits your existing piping.",
    "You get 5% if you order all of it together.", "You may pay in three instalments.", "The freight is on us.",
    "Payment in three instalments is possible.", "We match any competitor's offer.", "Our mechanic speaks German.",
    "If your neighbours still hear it, you may send it back.", "Your old machine is collected at no cost.",
    "Sie können in drei Raten zahlen.", "Unser Monteur spricht Deutsch.", "Usted puede pagar en tres plazos.",
    "Vous pouvez payer en trois fois.", "Wir haben schon viele Molkereien ausgerüstet.",
    "[ANSWER] We match any competitor's offer.",
    "Die Anlage passt an Ihre Rohrleitung.", "El equipo no hace ruido.", "La machine ne demande aucun entretien.",
)  # fmt: skip


def promise(drafted: Drafted, random: Random) -> Slip | None:
    """An answer, or a sentence in an item, that binds the house."""
    lines = drafted.text.splitlines()
    answers = [at for at, line in _letter(drafted) if "[ANSWER]" in line and not line.startswith("|")]
    prose = [
        at for at, line in _letter(drafted) if _item_of(lines, at) and line.endswith(".") and line[:1] not in "-|#"
    ]
    if answers and random.random() < 0.7:
        return _put(drafted, "promise", {random.choice(answers): random.choice(PROMISES)})
    if not prose:
        return None
    at = random.choice(prose)
    return _put(drafted, "promise", {at: f"{lines[at]} {random.choice(PROMISES)}"})


def granted(drafted: Drafted, random: Random) -> Slip | None:
    """A wish of the customer that the letter grants."""
    lines = drafted.text.splitlines()
    wishes = [(at, question) for question, answer in drafted.letter.answers if re.search(r"\d", question)
              for at, line in enumerate(lines) if line == answer and "[ANSWER]" in answer]  # fmt: skip
    if not wishes:
        return None
    at, question = random.choice(wishes)
    said = re.search(r"\$?\d[^,;)]*", question)
    assert said is not None
    words = random.choice(("We grant {}.", "{} is agreed.", "{}.", "{} gewähren wir gern."))
    return _put(drafted, "granted wish", {at: words.format(said[0].strip(" ?."))})


def complied(drafted: Drafted, random: Random) -> Slip | None:
    """A row of the compliance section that says yes to what it left open."""
    rows = [(at, line) for at, line in _letter(drafted) if re.search(r"\| (?:exception|to be confirmed) \|$", line)
            and "," in line]  # fmt: skip
    if not rows:
        return None
    at, line = random.choice(rows)
    requirement = line.split("|")[1].strip().split(". ", 1)[-1]
    return _put(drafted, "false compliance", {at: f"| {line.split('|')[1].strip()} | {requirement} | yes |"})


def dropped(drafted: Drafted, random: Random) -> Slip | None:
    """A question with its answer, or a row of the compliance section, left out."""
    lines = drafted.text.splitlines()
    questions = {question for question, _ in drafted.letter.answers if question.endswith("?")}
    parts = [range(at, at + 4) for at, line in enumerate(lines) if line.strip("*") in questions]
    parts += [range(at, at + 1) for at, line in enumerate(lines) if re.match(r"\| \d\. .*\|$", line)]
    if not parts:
        return None
    taken = random.choice(parts)
    text = "\n".join(line for at, line in enumerate(lines) if at not in taken) + "\n"
    return Slip("left out", text, (), lines[taken[0]], "")


COMPARED = (
    ("cfm", "Flow", "CFM"),
    ("hp", "Power", "HP"),
    ("noise_dba", "Noise", "dBA"),
    ("weight_lb", "Weight", "lb"),
)
ROUNDED = 0.1


def others(drafted: Drafted, random: Random) -> Slip | None:
    """A comparison of two machines, or a row that names one, in which a figure is the other's; one that differs by
    less than a description in another unit rounds is no slip, nor one that the model's own proven line tells.
    """
    own = list(dict.fromkeys(item.model for item in drafted.letter.items if item.model))
    pairs = [(one, two, row) for one in own for two in own for row in COMPARED
             if _differ(*(products()[each].get(row[0]) for each in (one, two)))]  # fmt: skip
    if not pairs:
        return None
    one, two, (column, label, unit) = random.choice(pairs)
    wrong = f"{products()[two][column]:g} {unit}"
    told = [past()[1][item.copied[:2]]["description"] for item in drafted.letter.items
            if item.model == one and item.copied[0]]  # fmt: skip
    if any(wrong.split()[0] in re.findall(r"[\d.]+", line) for line in told):
        return None
    lines = drafted.text.splitlines()
    at = lines.index("### Exclusions")
    added = random.choice((
        ["### Comparison", "", f"| | {one} | {two} |", "|---|---|---|", f"| {label} | {wrong} | {wrong} |", ""],
        ["### Options", "", "| Option | For item | What it changes | Net |", "|---|---|---|---|",
         f"| {one} | 1 | {wrong} | $[PRICE] |", ""],
        ["### Answers", "", f"The {one} has {wrong}.", ""],
    ))  # fmt: skip
    text = "\n".join([*lines[:at], *added, *lines[at:]]) + "\n"
    return Slip("another's figure", text, tuple(range(at + 1, at + len(added) + 1)), "", added[-2])


def _differ(one: float | None, other: float | None) -> bool:
    return one is not None and other is not None and abs(one - other) > ROUNDED * one


KINDS: Mapping[str, Callable[[Drafted, Random], Slip | None]] = {
    "digit": digit, "unit": unit, "model": model, "swapped line": swapped, "cost for price": cost,
    "another customer": customer, "promise": promise, "granted wish": granted, "false compliance": complied,
    "left out": dropped, "another's figure": others,
}  # fmt: skip


def slips(drafted: list[Drafted], *, count: int, seed: int) -> list[tuple[Drafted, Slip]]:
    """As many of each kind, over all drafts."""
    random = Random(seed)
    found: list[tuple[Drafted, Slip]] = []
    names = list(KINDS)
    while len(found) < count:
        one = random.choice(drafted)
        slip = KINDS[names[len(found) % len(names)]](one, random)
        if slip is not None and slip.text != one.text:
            found.append((one, slip))
    return found


def _letter(drafted: Drafted) -> list[tuple[int, str]]:
    """The lines that the customer reads, with their places."""
    return [(at, line) for at, line in enumerate(drafted.text.splitlines()) if line and not line.startswith(">")]


def _item_of(lines: list[str], at: int) -> int:
    for line in reversed(lines[: at + 1]):
        if line.startswith("#"):
            heading = re.match(r"### Item (\d+)", line)
            return int(heading[1]) if heading else 0
    return 0


def _copied(lines: list[str], at: int) -> bool:
    before = [line for line in lines[:at] if line]
    return bool(before) and before[-1].startswith("> **Attribution:**")


def _put(drafted: Drafted, kind: str, changed: Mapping[int, str]) -> Slip:
    lines = drafted.text.splitlines()
    was = " / ".join(lines[at] for at in changed)
    for at, line in changed.items():
        lines[at] = line
    return Slip(kind, "\n".join(lines) + "\n", tuple(at + 1 for at in changed), was, " / ".join(changed.values()))
