"""A seeded catalogue of any size: products as rows, in families of near relatives, and queries a seller would ask."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

TAIL = 60_000
FLATNESS, STEEPNESS = 10.0, 1.15
"""Zipf-Mandelbrot: the word of rank r is drawn in proportion to 1 / (r + FLATNESS) ** STEEPNESS."""

TRADE = (  # noqa: SIM905 - a list would be a page long
    "air oil pressure compressor package motor drive control cooled valve filter service unit tank system flow plant "
    "stage discharge inlet mounted belt direct panel cooler dryer load temperature separator speed variable screw "
    "rotary starter bearing seal vacuum pump blower receiver aftercooler frame enclosure sound fan base vibration "
    "isolator element cartridge condensate drain automatic manual relief gauge switch display sensor transmitter "
    "controller fault history alarm shutdown lubricant synthetic mineral food grade pharmaceutical hospital medical "
    "laboratory dental brewery bakery packaging bottling textile foundry paint shop wastewater aeration conveying "
    "pneumatic nitrogen oxygen membrane desiccant refrigerated heatless heated purge dewpoint regeneration tower "
    "silencer muffler weatherproof outdoor hazardous stainless carbon steel aluminium cast iron ductile flange "
    "threaded welded pipe fitting hose manifold header drop leg regulator bypass check isolation butterfly ball "
    "globe solenoid actuator positioner duplex simplex triplex alternating lead lag sequencer remote monitoring "
    "network gateway inverter bypassed contactor breaker disconnect fuse transformer wiring conduit terminal "
    "commissioning training warranty overhaul rebuild exchange spare kit gasket coupling sheave bushing piston ring "
    "cylinder head crankcase connecting rod crankshaft scroll lobe claw vane diaphragm impeller diffuser volute gear "
    "timing shaft sleeve housing rotor airend intake filtration micron coalescing particulate activated adsorber "
    "crane freight rigging installation layout drawing foundation anchor grout duct louvre damper exhaust heat "
    "recovery exchanger shell tube plate fin water glycol chiller tower makeup treatment strainer trap vessel code "
    "stamped national board certificate inspection test report performance curve efficiency specific power energy "
    "audit leak survey storage demand baseline turndown modulating upload unload idle restart ambient altitude "
    "humidity corrosion coating epoxy galvanised painted primed skid trailer portable towable stationary vertical "
    "horizontal tandem integrated compact quiet heavy duty continuous intermittent standby emergency redundant"
).split()

_ONSETS = "b br c cl d dr f g gr h k l m n p pr r s st t tr v w z".split()  # noqa: SIM905
_VOWELS = ("a", "e", "i", "o", "u", "ai", "or", "an", "el", "er")
_CODAS = ("l", "n", "r", "s", "t", "x", "m", "d")


BASES = 20_000
"""Distinct products; every later row is a near relative of one of them."""

WORDS = 34
"""Words of a description, drawn by Zipf's law; a real product text of the sample corpus has about as many."""

KEPT = 0.6
"""Share of its base's words that a relative keeps."""

FAMILIES = (
    ("compressor", "ROTARY SCREW AIR COMPRESSOR", 0.30),
    ("compressor", "OILLESS SCROLL AIR COMPRESSOR", 0.10),
    ("vacuum_pump", "CLAW VACUUM PUMP", 0.12),
    ("dryer", "REFRIGERATED AIR DRYER", 0.14),
    ("blower", "REGENERATIVE BLOWER", 0.10),
    ("filtration", "COALESCING FILTER", 0.12),
    ("receiver", "VERTICAL AIR RECEIVER", 0.07),
    ("accessory", "CONDENSATE DRAIN", 0.05),
)
ATTRIBUTES = (
    # name, kind, unit, sense, met, close
    ("hp", "number", "hp", "about", 0.1, 0.34),
    ("cfm", "number", "cfm", "at_least", 0.03, 0.05),
    ("psi", "number", "psig", "at_least", 0.03, 0.03),
    ("lubrication", "text", None, "exactly", 0.0, 0.0),
    ("voltage", "text", None, "exactly", 0.0, 0.0),
    ("drive", "text", None, "exactly", 0.0, 0.0),
)
"""What the tenant declares."""
LUBRICATIONS = (None, "oil-flooded", "oilless", "oil-free")
HP = (1, 2, 3, 5, 7.5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 100, 125, 150, 200, 250, 300, 350, 400, 500)
CFM = (10.0, 10_000.0)

COLUMNS = (
    "id", "tenant", "model", "manufacturer", "series", "category", "family", "description", "attributes",
)  # fmt: skip


def words() -> list[str]:
    """All words, by rank. The tail is pronounceable, as names of customers, sites, brands and tags are."""
    seen = dict.fromkeys(TRADE)
    syllables = [onset + vowel for onset in _ONSETS for vowel in _VOWELS]
    made = (
        first + second + coda for coda, first, second in itertools.product(_CODAS, syllables, reversed(syllables))
    )
    seen.update(dict.fromkeys(itertools.islice(made, TAIL)))
    return list(seen)


def cumulative(count: int) -> NDArray[np.float64]:
    """Cumulative probabilities of the ranks; searchsorted with uniform numbers draws from them."""
    weights = 1.0 / (np.arange(1, count + 1) + FLATNESS) ** STEEPNESS
    summed = np.cumsum(weights)
    return np.asarray(summed / summed[-1])


@dataclass(frozen=True, slots=True)
class Slice:
    """Rows ``first``… of the catalogue; the arrays are parallel, ``bases`` says whose relative each is."""

    first: int
    bases: NDArray[np.int64]
    words: NDArray[np.int64]
    numbers: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.bases)


@dataclass(frozen=True)
class Catalogue:
    """The same seed gives the same row for a number, whatever the size."""

    seed: int = 7
    chunk: int = 10_000

    @cached_property
    def vocabulary(self) -> NDArray[np.str_]:
        return np.array(words())

    @cached_property
    def _cumulative(self) -> NDArray[np.float64]:
        return cumulative(len(self.vocabulary))

    @cached_property
    def _base_words(self) -> NDArray[np.int64]:
        chance = np.random.default_rng([self.seed, 0])
        return np.searchsorted(self._cumulative, chance.random((BASES, WORDS)))

    def slices(self, rows: int, *, start: int = 0) -> Iterator[Slice]:
        for first in range(start, start + rows, self.chunk):
            yield self._slice(first, min(self.chunk, start + rows - first))

    def _slice(self, first: int, count: int) -> Slice:
        chance = np.random.default_rng([self.seed, 1, first])
        own = np.arange(first, first + count)
        bases = np.where(own < BASES, own, chance.integers(BASES, size=count))
        fresh = np.searchsorted(self._cumulative, chance.random((count, WORDS)))
        kept = (chance.random((count, WORDS)) < KEPT) | (own < BASES)[:, None]
        return Slice(first, bases, np.where(kept, self._base_words[bases], fresh), chance.random((count, 6)))

    def relatives(self, count: int) -> Slice:
        """Rows that are bases of nothing, for comparing them with what they were made of."""
        first = -(-BASES // self.chunk) * self.chunk
        return self._slice(first, count)

    def rows(self, part: Slice, *, tenant: str) -> Iterator[tuple[Any, ...]]:
        """Rows in the order of COLUMNS; the first row of the catalogue has id 1."""
        for place in range(len(part)):
            yield self._row(part, place, tenant=tenant)

    def _row(self, part: Slice, place: int, *, tenant: str) -> tuple[Any, ...]:
        row_id = 1 + part.first + place
        base = int(part.bases[place])
        kind = np.random.default_rng([self.seed, 2, base]).random(5)
        size, flow, pressure, lubrication, voltage, _ = part.numbers[place]
        family, category, _ = _pick(kind[0])
        tail = self.vocabulary[len(TRADE) :]
        manufacturer = str(tail[int(150 * kind[1] ** 2)]).capitalize()
        series = str(tail[150 + int(2500 * kind[2])])[:4].upper()
        hp, oil = HP[int(size * len(HP))], LUBRICATIONS[int(lubrication * 4)]
        cfm = round(float(CFM[0] * (CFM[1] / CFM[0]) ** flow), 1)
        text = " ".join(self.vocabulary[part.words[place]])
        half = len(text) // 2 + text[len(text) // 2 :].find(" ")
        return (
            row_id, tenant, f"{series}-{hp:g}-{row_id}", manufacturer, series, category, family,
            f"{series} {category.lower()} of {hp:g} hp for {text[:half]}. Comes with {text[half + 1 :]}.",
            {
                "hp": hp, "cfm": cfm, "psi": round(5 + 195 * pressure),
                **({} if oil is None else {"lubrication": oil}),
                "voltage": ("230/460/3/60", "460/3/60", "575/3/60")[int(voltage * 3)],
                "drive": ("V-belt", "Direct")[int(kind[3] * 2)],
            },
        )  # fmt: skip

    def queries(self, count: int, *, rows: int, start: int = 0) -> list[str]:
        """Queries for some of those rows, by turns: a part number, a need in figures, a few words of the text."""
        chance = np.random.default_rng([self.seed, 3])
        asked = []
        for number in range(count):
            part, place = self._any_row(chance, rows, start)
            row = dict(zip(COLUMNS, self._row(part, place, tenant=""), strict=True))
            match number % 3:
                case 0:
                    asked.append(f"{row['manufacturer']} {row['model']}")
                case 1:
                    own, kind = row["attributes"], row["category"].lower()
                    asked.append(f"{own['hp']:g}HP {own.get('lubrication', 'quiet')} {kind} {own['psi']} psi")
                case _:
                    chosen = chance.choice(part.words[place], size=int(chance.integers(4, 8)), replace=False)
                    asked.append(" ".join(self.vocabulary[chosen]))
        return asked

    def _any_row(self, chance: np.random.Generator, rows: int, start: int) -> tuple[Slice, int]:
        first = start + int(chance.integers((rows - 1) // self.chunk + 1)) * self.chunk
        part = self._slice(first, min(self.chunk, start + rows - first))
        return part, int(chance.integers(len(part)))


def cfm_at_least(share: float) -> float:
    """The figure of cfm that ``share`` of all rows exceeds."""
    return round(float(CFM[0] * (CFM[1] / CFM[0]) ** (1 - share)), 2)


def _pick(draw: float) -> tuple[str, str, float]:
    for family in FAMILIES:
        draw -= family[2]
        if draw < 0:
            return family
    return FAMILIES[-1]
