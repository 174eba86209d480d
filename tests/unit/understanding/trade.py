"""A small catalogue's names, and how the tests of understanding read a request with them."""

from quarry.understanding.names import ModelName, Names
from quarry.understanding.needs import Item, Need, Request
from quarry.understanding.reading import understand
from quarry.understanding.text import fold, key_of
from quarry.understanding.words import Vocabulary

CATALOGUE = {
    "Quincy": ("QMB30", "QMB25", "QGV-50", "QGV-75", "QGV-100", "QSI-750", "Q$ync 100", "QT-7.5"),
    "Powerex": ("SEHX10008-100", "SEHX10010-100HP", "SED1007-10"),
    "Kaeser": ("CSD100", "DSG 100-2", "SM15"),
    "Atlas Copco": ("ZT75", "ZT75 VSD", "GA75", "SF 22+"),
    "Sullair": ("DSP-75", "LS-110 100H"),
    "Gardner Denver": ("Ultima U75", "EnviroAire T75"),
    "Busch": ("R5 RA 0155 D", "MM 1322 AV", "MM 1402 BV", "Dolphin LX 0430"),
    "Becker": ("U5.300", "VTLF 2.500"),
    "Kettle Creek": ("KC-450HL", "KC-150HL"),
    "Wabash Vessel": ("VR-1060", "VR-1060SS"),
    "Roots": ("RCS-418",),
}
NAMES = Names(
    makers={fold(maker): maker for maker in CATALOGUE},
    models={key_of(model): (ModelName(model, maker),) for maker, models in CATALOGUE.items() for model in models},
)
WORDS = Vocabulary.shipped()


def read(text: str) -> Request:
    return understand(text, words=WORDS, names=NAMES)


def only_item(text: str) -> Item:
    request = read(text)
    assert len(request.items) == 1, [item.text for item in request.items]
    return request.items[0]


def need(text: str, attribute: str) -> Need:
    found = only_item(text).need(attribute)
    assert found is not None, only_item(text).needs
    return found


def needs_of(item: Item) -> dict[str, object]:
    """Needs in short: a number for a plain quantity, else what is shown."""
    return {
        each.attribute: round(each.low) if each.low is not None and each.low == each.high else each.shown
        for each in item.needs
    }
