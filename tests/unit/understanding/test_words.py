"""The words of the trade in four languages, and what they ask for."""

import pytest

from local.vocabulary import written
from quarry.understanding.fit import judge
from quarry.understanding.reading import understand
from quarry.understanding.traits import row_traits
from quarry.understanding.words import TABLE, Vocabulary
from tests.unit.understanding.trade import NAMES, WORDS, need, only_item, read

OILLESS, OIL_FREE, FLOODED = {"oilless"}, {"oilless", "oil-free"}, {"oil-flooded"}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("oilless compressor", OILLESS),
        ("oil-less compressor", OILLESS),
        ("oil less 30 hp", OILLESS),
        ("no oil in the machine", OILLESS),
        ("völlig ölfreier Kompressor", OILLESS),
        ("totalmente libre de aceite", OILLESS),
        ("compresseur totalement sans huile", OILLESS),
        ("oil-free compressor", OIL_FREE),
        ("oilfree", OIL_FREE),
        ("class 0 air", OIL_FREE),
        ("non-lubricated compressor", OIL_FREE),
        ("dry screw compressor", OIL_FREE),
        ("vacuum pump, dry", OIL_FREE),
        ("not oil flooded", OIL_FREE),
        ("not an oil-flooded machine", OIL_FREE),
        ("ölfreier Kompressor", OIL_FREE),
        ("oelfreie Druckluft", OIL_FREE),
        ("ohne Öl", OIL_FREE),
        ("nicht ölgeschmiert", OIL_FREE),
        ("compresor exento de aceite", OIL_FREE),
        ("compresor sin aceite", OIL_FREE),
        ("bomba de vacío seca", OIL_FREE),
        ("compresseur sans huile", OIL_FREE),
        ("pompe à vide sèche", OIL_FREE),
        ("non lubrifié", OIL_FREE),
        ("lubricated screw", FLOODED),
        ("oil-flooded", FLOODED),
        ("oil injected rotary screw", FLOODED),
        ("oil sealed vacuum pump", FLOODED),
        ("ölgeschmierter Kompressor", FLOODED),
        ("öleingespritzt", FLOODED),
        ("compresor lubricado", FLOODED),
        ("compresseur lubrifié", FLOODED),
        ("not oil-free", FLOODED),
    ],
)
def test_lubrication_admits_what_the_word_admits(text: str, values: set[str]) -> None:
    assert need(text, "lubrication").values == values


@pytest.mark.parametrize(
    "text",
    [
        "compressor without oil leaks",
        "a compressor that should not leak oil",
        "Kompressor, der kein Öl verliert",
        "compresor sin fugas de aceite",
        "compresseur sans fuite d'huile",
        "a dryer that does not waste air",
    ],
)
def test_what_must_not_leak_says_nothing_of_how_it_takes_its_oil(text: str) -> None:
    assert all(each.attribute != "lubrication" for each in read(text).needs)
    assert read(text).not_understood == ()


@pytest.mark.parametrize(
    "wish",
    [
        "460 V if there is one",
        "460 V, if you have it",
        "ideally 460 V",
        "preferably 460 V",
        "wenn möglich 460 V",
        "460 V falls vorhanden",
        "460 V si lo hay",
        "460 V si vous en avez",
    ],
)
def test_what_is_wished_is_no_must_and_what_a_comma_parts_from_it_is_one(wish: str) -> None:
    text = f"screw 30 HP, {wish}"
    assert not need(text, "voltage").hard
    assert need(text, "compression").hard
    row = {"family": "compressor", "hp": 30.0, "voltage": "575/3/60", "compression": "screw"}
    assert {each.need.attribute: each.verdict for each in judge(only_item(text), row).findings}["voltage"] == "close"


def test_a_figure_may_be_wished_too() -> None:
    assert need("30 HP screw, below 65 dBA", "dba").hard
    assert not need("30 HP screw, if possible below 65 dBA", "dba").hard


@pytest.mark.parametrize(
    "text",
    ["screw compressor, oilless if you can", "Preferably oilless, screw", "Schraubenkompressor, ölfrei wenn möglich"],
)
def test_of_two_clauses_the_one_with_the_words_of_wishing_is_the_wish(text: str) -> None:
    assert not need(text, "lubrication").hard
    assert need(text, "compression").hard


@pytest.mark.parametrize("text", ["dry air for the paint line", "air dryer", "clean dry air"])
def test_dry_air_says_nothing_of_oil(text: str) -> None:
    assert all(each.attribute != "lubrication" for each in read(text).needs)


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("air compressor", "compressor"),
        ("compressors", "compressor"),
        ("Schraubenkompressor", "compressor"),
        ("Verdichter", "compressor"),
        ("compresor de aire", "compressor"),
        ("compresseur d'air", "compressor"),
        ("recip", "compressor"),
        ("vacuum pump", "vacuum_pump"),
        ("vac pump", "vacuum_pump"),
        ("medical vacuum system", "vacuum_pump"),
        ("Vakuumpumpe", "vacuum_pump"),
        ("Drehschiebervakuumpumpe", "vacuum_pump"),
        ("bomba de vacio", "vacuum_pump"),
        ("bombas de vacío", "vacuum_pump"),
        ("pompe à vide", "vacuum_pump"),
        ("27 inHg", "vacuum_pump"),
        ("claw", "vacuum_pump"),
        ("refrigerated dryer", "dryer"),
        ("compressed air dryer", "dryer"),
        ("Kältetrockner", "dryer"),
        ("Adsorptionstrockner", "dryer"),
        ("secador frigorífico", "dryer"),
        ("sécheur par adsorption", "dryer"),
        ("dew point -40", "dryer"),
        ("regenerative blower", "blower"),
        ("Drehkolbengebläse", "blower"),
        ("Seitenkanalverdichter", "blower"),
        ("soplador", "blower"),
        ("surpresseur", "blower"),
        ("receiver tank", "receiver"),
        ("Druckluftbehälter", "receiver"),
        ("tanque de aire", "receiver"),
        ("réservoir", "receiver"),
        ("400 gallon", "receiver"),
        ("coalescing filter", "filtration"),
        ("Aktivkohlefilter", "filtration"),
        ("filtro coalescente", "filtration"),
        ("oil/water separator", "accessory"),
        ("Öl-Wasser-Trenner", "accessory"),
        ("installation", "service"),
        ("Inbetriebnahme", "service"),
        ("puesta en marcha", "service"),
        ("mise en service", "service"),
        ("compressor rental", "service"),
        ("maintenance agreement for the blower", "service"),
        ("dryer for a 100 hp compressor", "dryer"),
        ("vacuum pump filter", "filtration"),
        ("regenerative blower for tank agitation", "blower"),
    ],
)
def test_the_family_is_known(text: str, family: str) -> None:
    assert only_item(text).families == {family}


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("water-cooled", "cooling", "water"),
        ("wassergekühlt", "cooling", "water"),
        ("enfriado por agua", "cooling", "water"),
        ("refroidi par air", "cooling", "air"),
        ("VSD", "drive", "variable-speed"),
        ("variable speed drive", "drive", "variable-speed"),
        ("drehzahlgeregelt", "drive", "variable-speed"),
        ("velocidad variable", "drive", "variable-speed"),
        ("à vitesse variable", "drive", "variable-speed"),
        ("belt driven", "drive", "belt"),
        ("fixed speed", "drive", "fixed-speed"),
        ("Klauenpumpe", "compression", "claw"),
        ("Scrollkompressor", "compression", "scroll"),
        ("Schraubenkompressoren", "compression", "screw"),
        ("compresor de tornillo", "compression", "screw"),
        ("compresseur à pistons", "compression", "reciprocating"),
        ("liquid ring", "compression", "liquid-ring"),
        ("tri-lobe", "compression", "lobe"),
        ("heatless dryer", "dryer_kind", "desiccant-heatless"),
        ("heated blower purge dryer", "dryer_kind", "blower-purge"),
        ("Membrantrockner", "dryer_kind", "membrane"),
        ("for a brewery", "industry", "brewing"),
        ("für eine Molkerei", "industry", "dairy"),
        ("para una panadería", "industry", "bakery"),
        ("pour cabinet dentaire", "industry", "dental"),
        ("hospital", "industry", "hospital"),
        ("paint booth", "industry", "painting"),
        ("CNC router", "industry", "machining"),
        ("duplex", "arrangement", "duplex"),
        ("quad", "arrangement", "quadruplex"),
        ("N+1", "redundancy", "n+1"),
        ("ISO 8573-1 class 0", "certificate", "iso 8573-1 class 0"),
        ("NFPA 99", "certificate", "nfpa 99"),
        ("food grade lubricant", "certificate", "h1"),
        ("we lost", "outcome", "lost"),
        ("Angebot verloren", "outcome", "lost"),
        ("cotizaciones ganadas", "outcome", "won"),
        ("because of price", "reason", "price"),
        ("wegen des Preises", "reason", "price"),
        ("por precio", "reason", "price"),
        ("utility rebate", "price", "rebate"),
        ("start-up", "service", "start-up"),
    ],
)
def test_a_word_of_the_trade_is_a_need(text: str, attribute: str, value: str) -> None:
    assert value in need(text, attribute).values


@pytest.mark.parametrize("text", ["something quiet", "leise", "silencioso", "silencieux", "not too loud"])
def test_quiet_is_a_wish_without_a_figure(text: str) -> None:
    found = need(text, "quiet")
    assert (found.shown, found.hard, found.high) == ("quiet", False, None)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("100 hp oil-free compressor", "en"),
        ("QMB30", "en"),
        ("", "en"),
        ("Wir suchen einen ölfreien Kompressor", "de"),
        ("Kältetrockner 500 l/s", "de"),
        ("necesitamos un compresor para la planta", "es"),
        ("soplador 400 m3/h", "es"),
        ("nous cherchons un compresseur sans huile", "fr"),
    ],
)
def test_the_language_is_known(text: str, language: str) -> None:
    assert read(text).language == language


@pytest.mark.parametrize(
    "text",
    ["refridgerated dryer", "compresor 100 hp", "resiprocating", "dessicant dryer", "reciver tank", "installtion"],
)
def test_one_slip_in_a_word_of_the_trade_is_forgiven(text: str) -> None:
    assert read(text).needs
    assert not read(text).not_understood


def test_words_that_no_rule_reads_are_named_and_stop_words_are_not() -> None:
    request = read("We need a 100 hp compressor with purple frobnicators")
    assert request.not_understood == ("purple", "frobnicators")


def test_a_tenant_adds_words_of_its_own() -> None:
    rows = [{"term": "Luftikus", "language": "de", "attribute": "family", "value": "compressor"}]
    request = understand("zwei Luftikus", words=Vocabulary.shipped().extended(rows), names=NAMES)
    assert request.items[0].families == {"compressor"}
    assert not read("Luftikus").needs


def test_a_competitors_model_is_worth_its_equivalent() -> None:
    equivalents = [
        {
            "maker": "Ingersoll Rand",
            "model": "Sierra 100",
            "hp": 100,
            "lubrication": "oil-free",
            "compression": "screw",
        }
    ]
    words = WORDS.extended(equivalents=equivalents)
    request = understand("Ingersoll Rand Sierra 100", words=words, names=NAMES)
    item = request.items[0]
    power, oil = item.need("hp"), item.need("lubrication")
    assert power is not None
    assert (power.low, power.words) == (100, "Sierra 100")
    assert oil is not None
    assert oil.values == OIL_FREE
    assert {value for absent in request.absent for value in absent.values} == {"Ingersoll Rand", "Sierra 100"}


WORTH: list[dict[str, str | float]] = [
    {"maker": "Ingersoll Rand", "model": "Sierra 100", "hp": 100, "lubrication": "oil-free"},
    {"maker": "BOGE", "model": "S 100", "hp": 100, "lubrication": "oil-flooded"},
    {"maker": "Northstar", "model": "S 100", "hp": 130},
    {"maker": "Luftwerk", "model": "", "family": "blower"},
]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("alternative to a sierra 100", ["oil-free", "100 hp (74.6 kW)"]),
        ("Sierra 100 with 125 hp", ["oil-free"]),
        ("oilless Sierra 100", ["100 hp (74.6 kW)"]),
        ("another S 100", ["oil-flooded", "100 hp (74.6 kW)"]),
        ("Northstar S 100", ["130 hp (96.9 kW)"]),
        ("Luftwerk LW", ["blower"]),
        ("not a Sierra 100", []),
        ("for a 100 hp line", []),
    ],
)
def test_what_the_request_says_goes_before_the_equivalent(text: str, shown: list[str]) -> None:
    request = understand(text, words=WORDS.extended(equivalents=WORTH), names=NAMES)
    assert [need.shown for need in request.needs if need.implied_by] == shown


def test_a_row_is_close_at_most_to_a_machine_that_is_not_here() -> None:
    words = WORDS.extended(equivalents=WORTH)
    [item] = understand("Ingersoll Rand Sierra 100", words=words, names=NAMES).items
    same = {
        "manufacturer": "Quincy",
        "model": "QOF-100",
        "family": "compressor",
        "hp": 100,
        "lubrication": "oil-free",
    }
    assert judge(item, same).overall == "close"
    assert judge(item, {**same, "lubrication": "oil-flooded"}).overall == "contradicted"


def test_a_tenants_word_goes_before_what_ships_and_is_found_in_rows() -> None:
    rows = [{"term": "lubricated", "attribute": "lubrication", "value": "oil-free"},
            {"term": "grow house", "attribute": "industry", "value": "cannabis", "language": "en"}]  # fmt: skip
    words = WORDS.extended(rows)
    [item] = understand("lubricated 50 hp for grow houses", words=words, names=NAMES).items
    oil, trade = item.need("lubrication"), item.need("industry")
    assert oil is not None
    assert trade is not None
    assert oil.values == OIL_FREE
    assert trade.values == {"cannabis"}
    assert "cannabis" in row_traits({"description": "Made for grow houses."}, words=words)["industry"]


def test_the_table_of_the_words_follows_from_the_words() -> None:
    assert TABLE.read_text("utf-8") == written(), "run make manifest"


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("oil water separator for 300 hp plant", "hp"),
        ("dryer for an oil-flooded screw compressor", "lubrication"),
        ("dryer for an oil-flooded screw compressor", "compression"),
    ],
)
def test_what_is_said_of_the_compressor_is_no_need_of_what_serves_it(text: str, attribute: str) -> None:
    assert only_item(text).need(attribute) is None


def test_an_equivalent_is_that_of_the_item_that_names_it() -> None:
    words = WORDS.extended(equivalents=[{"maker": "Ingersoll Rand", "model": "Sierra 100", "hp": 100}])
    first, second = understand("Sierra 100 compressor and a dryer 500 cfm", words=words, names=NAMES).items
    assert first.need("hp") is not None
    assert second.need("hp") is None


@pytest.mark.parametrize("text", ["air cooled if possible", "wenn möglich luftgekühlt", "preferably air cooled"])
def test_a_wish_is_not_hard(text: str) -> None:
    assert not need(text, "cooling").hard
    assert need("air cooled", "cooling").hard


def test_a_contraction_is_no_outcome() -> None:
    item = only_item("QA won't have any oil in the compressor")
    assert item.need("outcome") is None
    assert need("QA won't have any oil in the compressor", "lubrication").values == OILLESS


def test_what_work_costs_in_english_is_no_laboratory_in_german() -> None:
    assert only_item("furnish labor and stainless steel pipe").need("industry") is None
    assert need("Kompressor für ein Labor", "industry").values == {"laboratory"}


@pytest.mark.parametrize(
    ("text", "service"),
    [
        ("Montage der Anlage", "installation"),
        ("Mietkompressor für drei Monate", "rental"),
        ("Wartungspauschale je Jahr", "maintenance"),
        ("Instandsetzung der Verdichterstufe", "repair"),
        ("instalación mecánica y tubería", "installation"),
        ("compresor de alquiler", "rental"),
        ("póliza de mantenimiento anual", "maintenance"),
        ("mise en place du compresseur", "installation"),
        ("compresseur en location", "rental"),
        ("dépannage du sécheur", "repair"),
    ],
)
def test_work_is_read_of_requests_and_of_lines_in_their_language(text: str, service: str) -> None:
    assert need(text, "service").values == {service}
    assert service in row_traits({"description": f"{text}. {text}."})["service"]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("optional dryer", True),
        ("OPTION B dry screw", True),
        ("alternate: oilless scroll", True),
        ("Eventualposition Trockner", True),
        ("wahlweise ein Kältetrockner für den Kompressor", True),
        ("secador opcional para el compresor", True),
        ("en option un sécheur pour le compresseur", True),
        ("oil-free dryer", False),
    ],
)
def test_an_option_is_asked_for_in_any_language(text: str, options: bool) -> None:
    assert read(text).options is options


@pytest.mark.parametrize("text", ["receiver, paint RAL 3020", "Behälter, Lackierung RAL 3020", "receiver ral-3020"])
def test_a_colour_is_neither_a_size_nor_a_trade(text: str) -> None:
    item = only_item(text)
    assert item.need("industry") is None
    assert item.need("gallons") is None
    assert need(text, "feature").values == {"RAL 3020"}


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("VFD for a blower", "accessory"),
        ("blower with VFD", "blower"),
        ("compressor with VFD for a dryer", "compressor"),
    ],
)
def test_a_drive_for_a_machine_is_asked_for_by_itself(text: str, family: str) -> None:
    assert read(text).items[0].families == {family}


@pytest.mark.parametrize("text", ["100 hp oil free that isnt a scroll", "100 hp oil free, we dont want a scroll"])
def test_a_contraction_without_its_apostrophe_denies_as_one_with_it(text: str) -> None:
    said = need(text, "compression")
    assert said.operator == "none_of"
    assert said.values == {"scroll"}


def test_a_kind_of_drain_is_more_than_a_drain_and_may_be_denied_alone() -> None:
    assert need("drain that doesn't waste air", "accessory_kind").values == {"zero-loss-drain"}
    said = {each.operator: each.values for each in read("condensate drain, not the timer kind").needs if each.values}
    assert said["none_of"] == {"timer-drain"}


@pytest.mark.parametrize("text", ["vacuum pump 15 hp, customer refuses oil", "vacuum pump 15 hp, not the oily kind"])
def test_who_refuses_oil_wants_it_oil_free(text: str) -> None:
    assert need(text, "lubrication").values == {"oilless", "oil-free"}


@pytest.mark.parametrize(
    "text",
    [
        "ungalvanized 400 gallon tank",
        "Druckluftkessel 1500 Liter, bitte unverzinkt",
        "tanque 1000 litros sin galvanizar",
        "réservoir 1000 l non galvanisé",
    ],
)
def test_a_word_may_deny_what_it_says(text: str) -> None:
    found = need(text, "feature")
    assert found.operator == "none_of"
    assert found.values == {"galvanized"}


def test_an_article_is_no_claw() -> None:
    for text in ("enfriador para unas máquinas", "algo silencioso de 15 kW para una panadería"):
        assert all(each.attribute != "compression" for each in read(text).needs)
    assert need("bomba de uñas 5 kW", "compression").values == {"claw"}


@pytest.mark.parametrize(
    "text",
    [
        "desiccant dryer with a blower, 1700 cfm",
        "Adsorptionstrockner mit Gebläse 50 m3/min",
        "secador por adsorción con soplador, 50 m3/min",
        "sécheur par adsorption avec soufflante, 50 m3/min",
    ],
)
def test_a_desiccant_dryer_with_a_blower_is_one_thing(text: str) -> None:
    assert only_item(text).families == {"dryer"}
    assert need(text, "dryer_kind").values == {"blower-purge"}


@pytest.mark.parametrize(
    "text", ["-40 dryer with no heater in it", "Trockner ohne Heizung", "secador sin resistencias"]
)
def test_what_has_no_heater_is_heatless(text: str) -> None:
    assert need(text, "dryer_kind").values == {"desiccant-heatless"}


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("20 HP scroll, in 208 V if such a thing exists", "voltage"),
        ("Schraube 30 kW, falls es das gibt ölfrei", "lubrication"),
        ("tornillo 50 hp, si existe libre de aceite", "lubrication"),
        ("vis 37 kW, si ça existe sans huile", "lubrication"),
    ],
)
def test_what_may_not_exist_is_a_wish(text: str, attribute: str) -> None:
    assert not need(text, attribute).hard


@pytest.mark.parametrize(
    "text",
    [
        "pull 29 inches, 400 cfm, no water at the site",
        "kein Kühlwasser, Vakuum 500 m3/h",
        "bomba de vacío 5 hp, no hay agua",
    ],
)
def test_where_there_is_no_water_air_has_to_cool(text: str) -> None:
    assert need(text, "cooling").values == {"air"}
