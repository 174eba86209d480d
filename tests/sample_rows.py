"""A small catalogue and a few past quotes for the tests; the makers' names are real, all else is invented."""

from typing import Any

Row = dict[str, Any]


FAMILIES = ("accessory", "blower", "compressor", "dryer", "filtration", "receiver", "service", "vacuum_pump")

ATTRIBUTES: tuple[Row, ...] = (
    {"name": "hp", "kind": "number", "unit": "hp", "sense": "about", "met": 0.1, "close": 0.25, "adds": "sum"},
    {"name": "cfm", "kind": "number", "unit": "cfm", "sense": "at_least", "close": 0.1, "adds": "sum"},
    {"name": "psi", "kind": "number", "unit": "psi", "sense": "at_least", "close": 0.1},
    {"name": "lubrication", "kind": "text"},
    {"name": "cooling", "kind": "text"},
    {"name": "voltage", "kind": "text"},
    {"name": "drive", "kind": "text"},
    {"name": "motor", "kind": "text"},
    {"name": "vacuum_inhg", "kind": "number", "unit": "inHg", "sense": "at_least", "close": 0.1},
    {"name": "dewpoint_f", "kind": "number", "unit": "°F", "sense": "at_most", "close": 10, "absolute": True},
    {"name": "length_in", "kind": "number", "unit": "in", "sense": "at_most"},
    {"name": "width_in", "kind": "number", "unit": "in", "sense": "at_most"},
    {"name": "height_in", "kind": "number", "unit": "in", "sense": "at_most"},
    {"name": "weight_lb", "kind": "number", "unit": "lb", "sense": "at_most", "adds": "sum"},
    {
        "name": "noise_dba",
        "kind": "number",
        "unit": "dB(A)",
        "sense": "at_most",
        "absolute": True,
        "adds": "decibels",
    },
    {"name": "air_quality", "kind": "text"},
    {"name": "gallons", "kind": "number", "unit": "gal", "sense": "at_least", "adds": "sum"},
    {"name": "arrangement", "kind": "text"},
)
"""What the attributes of these rows are declared as, wherever a test puts rows that have them."""


def declared(name: str, value: object) -> Row:
    """The declaration of an attribute: that of the sample, or what its value says of itself."""
    value = value["value"] if isinstance(value, dict) else value
    value = value[0] if isinstance(value, list) else value
    kind = "flag" if isinstance(value, bool) else "number" if isinstance(value, int | float) else "text"
    return next((each for each in ATTRIBUTES if each["name"] == name), {"name": name, "kind": kind})


def product(model: str, **fields: object) -> Row:
    """A compressor of Acme's, unless ``fields`` say otherwise."""
    return {
        "model": model,
        "manufacturer": "Acme",
        "category": "ROTARY SCREW AIR COMPRESSOR",
        "family": "compressor",
        "description": f"Rotary screw air compressor {model} with enclosure.",
        **fields,
    }


def quote(number: str, **fields: object) -> Row:
    return {
        "quote_number": number,
        "customer": "Groeb Farms",
        "quote_date": "2024-03-05",
        "project": "Compressed air for a honey packing line",
        "summary": "Oilless compressed air for a food plant that packs honey.",
        "status": "won",
        "currency": "USD",
        **fields,
    }


def line(number: str, position: int, description: str, **fields: object) -> Row:
    return {
        "quote_number": number,
        "position": position,
        "category": "ROTARY SCREW AIR COMPRESSOR",
        "family": "compressor",
        "description": description,
        "quantity": "1",
        **fields,
    }


PRODUCTS = (
    product("QMB30", manufacturer="Quincy", series="QMB", hp=30, cfm=125, psi=125, lubrication="oil-flooded",
            cooling="Air", voltage="460/3/60", drive="Belt", motor="30 HP, 1800 RPM, ODP, 1.15 SF", length_in=60,
            width_in=36, height_in=55, weight_lb=1650, noise_dba=72, source="Bulletin QMB"),
    product("Q$ync 100", manufacturer="Quincy", hp=100, cfm=470, psi=125, lubrication="oil-flooded",
            description="Variable speed rotary screw air compressor for general plant air."),
    product("OFX-100", manufacturer="Atlas", category="OIL-FREE AIR COMPRESSOR", hp=100, cfm=420, psi=110,
            lubrication="oil-free", description="Oil-free tooth compressor, ISO Class 0 air for food and pharma."),
    product("SES100", manufacturer="Powerex", category="OILLESS SCROLL AIR COMPRESSOR", hp=100, cfm=330, psi=116,
            lubrication="oilless", description="Oilless scroll compressor package, food grade air without any oil."),
    product("HX-100", hp=100, description="Food grade 100 HP compressor; its lubrication is unknown."),
    product("VP 300", category="VACUUM PUMP", family="vacuum_pump", cfm=300, vacuum_inhg=28,
            description="Claw vacuum pump for packaging machines."),
    product("RD-500", category="REFRIGERATED AIR DRYER", family="dryer", cfm=500, psi=232, dewpoint_f=38,
            description="Refrigerated dryer with a 38 degree pressure dew point."),
    product("AX 5", category="BLOWER", family="blower", hp=5, description="Side channel blower."),
    product("AX-5", manufacturer="Zenith", category="BLOWER", family="blower", hp=5, description="Ring blower."),
)  # fmt: skip

LONG_INSTALLATION = (
    "INSTALLATION: Furnish and instal all labor, piping, and electrical. "
    + " ".join(
        f'Run {n} feet of 2" stainless steel pipe to drop {n}, incl. valve and dirt leg.' for n in range(1, 160)
    )
    + " Start up and trianing by factory tecnicians."
)
"""Over 2,000 tokens, typos included."""

QUOTES = (
    quote("Q-24-101", contact="Ms. Ng", industry="Food", total_price="182500.50", terms="Net 30",
          price_rationale="Repeat customer."),
    quote("Q-24-102", customer="Henry Ford Hospital", quote_date="2024-05-01", project="Medical vacuum replacement",
          summary="Replace the central vacuum pumps of a hospital.", industry="Healthcare", status="lost"),
    quote("Q-24-103", customer="4M Industries", quote_date="2024-06-11", project="Plant air for a machine shop",
          summary="Oil flooded rotary screw compressor and refrigerated dryer for machining.", status="open"),
)  # fmt: skip

LINES = (
    line("Q-24-101", 1, "100HP oilless food grade air compresser, Class 0.", manufacturer="Powerex", model="SES100",
         category="OILLESS SCROLL AIR COMPRESSOR", hp=100, cfm=330, psi=116, lubrication="oilless",
         unit_price="98500.00", extended_price="98500.00", price_note="List less 8%."),
    line("Q-24-101", 2, LONG_INSTALLATION, category="INSTALLATION", family="service", unit_price="31250.5"),
    line("Q-24-102", 1, "Claw vacumm pump, 300 ACFM at 24\"Hg, medical grade.", category="VACUUM PUMP",
         family="vacuum_pump", cfm=300, vacuum_inhg=24, quantity="2.5"),
    line("Q-24-103", 1, "30 HP rotary screw, flooded, belt drive.", manufacturer="Quincy", model="QMB30", hp=30,
         cfm=125, psi=125, lubrication="oil-flooded"),
    line("Q-24-103", 2, "Refrigerated dryer 500 SCFM, non cycling.", category="REFRIGERATED AIR DRYER",
         family="dryer", cfm=500, optional=True),
    line("Q-24-103", 3, "Freight to jobsite.", category="FREIGHT", family="service", currency="CAD"),
)  # fmt: skip
