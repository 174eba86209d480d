"""The words of the synthetic catalogue: the trade's own first, then a long tail of made-up names."""

import itertools

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


def words() -> list[str]:
    """Distinct, by rank. The tail is pronounceable, as customers, sites, brands and tags are."""
    seen = dict.fromkeys(TRADE)
    syllables = [onset + vowel for onset in _ONSETS for vowel in _VOWELS]
    made = (
        first + second + coda for coda, first, second in itertools.product(_CODAS, syllables, reversed(syllables))
    )
    seen.update(dict.fromkeys(itertools.islice(made, TAIL)))
    return list(seen)


def cumulative(count: int) -> NDArray[np.float64]:
    """Of the ranks' probabilities; searchsorted with uniform numbers draws from them."""
    weights = 1.0 / (np.arange(1, count + 1) + FLATNESS) ** STEEPNESS
    summed = np.cumsum(weights)
    return np.asarray(summed / summed[-1])
