"""No module of the product names a thing of one trade: what goods are told apart by is data of a tenant."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]

TRADES = (
    "compressor", "compressed air", "vacuum.?pump", "dew ?point", "oil-?less", "oil-?free", "oil-flooded", "receiver",
    "dryer", "blower", "desiccant", "refrigerant", "lubrication", "horsepower", "acfm", "scfm", "inhg", "gallons",
    "purge", "kompressor", "trockner", "compresor", "compresseur", "impeller", "npsh", "valve", "centrifuge",
    "pipette",
)  # fmt: skip
WORDS = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(TRADES)})s?(?![a-z])", re.IGNORECASE)

FIXED = {
    "functions/equipment/search_equipment.py": {"lubrication"},
}
"""Arguments that a seed names: short forms over attributes of these names, where a tenant has any."""


def test_no_module_names_a_thing_of_a_trade() -> None:
    folders = [ROOT / "functions", ROOT / "layers/quarry"]
    modules = [path for folder in folders for kind in ("py", "html") for path in folder.rglob(f"*.{kind}")]
    named = {
        name: said - FIXED.get(name, set())
        for path in modules
        if (said := {match[0].lower() for match in WORDS.finditer(path.read_text("utf-8"))})
        for name in [str(path.relative_to(ROOT))]
    }
    assert len(modules) > 100
    assert {name: said for name, said in named.items() if said} == {}
