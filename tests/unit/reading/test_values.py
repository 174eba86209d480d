"""Values: families, terms, listed values, flags; negation that stands at them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.attributes.model import Attribute, Attributes, Names
from quarry.reading.lexicon import is_weak
from quarry.reading.reader import read
from quarry.text import stem_of
from tests.unit.reading.trades import asked, reading, trade


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gland packing", {"seal": "gland packing"}),
        ("Gland-Packings", {"seal": "gland packing"}),
        ("IP 55", {"protection": "IP55"}),
        ("Edelstahl", {"material": "1.4408 | 1.4401"}),
        ("Stainless steel or cast iron", {"material": "1.4408 | 1.4401 | Grauguss"}),
        ("stal nierdzewna", {"material": "1.4408 | 1.4401"}),
        ("żeliwo", {"material": "Grauguss"}),
        ("1.4408", {"material": "1.4408"}),
        ("three phase", {"phases": "3"}),
        ("zatapialna", {"submersible": "yes"}),
        ("submersible: no", {"submersible": "no"}),
    ],
)
def test_listed_values_terms_and_flags_are_read_as_whole_words(text: str, expected: dict[str, str]) -> None:
    assert asked(text) == expected


def test_part_of_a_word_is_no_value() -> None:
    assert asked("PTFEX, motorway, stainless") == {}


def test_a_compound_is_read_if_all_its_parts_are_known() -> None:
    assert asked("Kreiselpumpen") == {"family": "pump", "kind": "centrifugal"}
    assert asked("Schraubenkompressor", of="air") == {"principle": "screw", "family": "compressor"}
    assert asked("Motorpumpenzubehör") == {}


def test_a_letter_or_a_bare_figure_counts_beside_its_attribute_only() -> None:
    assert asked("a pump, size b") == {"family": "pump", "size": "B"}
    assert asked("10 of A") == {}
    assert asked("frame 10") == {"size": "10"}


@pytest.mark.parametrize(("value", "weak"), [("3/8-16", False), ("3/8", True), ("40", True), ("1080-1920", False)])
def test_a_value_of_three_figures_is_read_by_itself(value: str, weak: bool) -> None:
    assert is_weak(value) is weak


def test_a_word_of_other_attributes_names_counts_beside_its_own_only() -> None:
    assert asked("valve for water", of="valves") == {"family": "valve"}
    assert asked("body water", of="valves") == {"body": "water"}


def test_a_term_of_several_attributes_is_of_the_family_named() -> None:
    assert asked("screw pump") == {"kind": "screw", "family": "pump"}
    assert asked("screw motor") == {"thread": "screw-in", "family": "motor"}
    assert reading("screw").unread == ("screw",)
    assert reading("screw").rest == "screw"


def test_values_that_the_family_does_not_have_stay_in_the_rest() -> None:
    assert reading("motor, gland packing").rest == "gland packing"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("not cast iron", "not Grauguss"),
        ("no PP", "not PP"),
        ("non-PP", "not PP"),
        ("nicht aus Grauguss", "not Grauguss"),
        ("ohne PP", "not PP"),
        ("bez żeliwo", "not Grauguss"),
        ("sans PP", "not PP"),
        ("senza PP", "not PP"),
        ("sin PP", "not PP"),
        ("sem PP", "not PP"),
        ("zonder PP", "not PP"),
        ("geen PP", "not PP"),
        ("utan PP", "not PP"),
        ("ej PP", "not PP"),
        ("uden PP", "not PP"),
        ("uten PP", "not PP"),
        ("vyjma PP", "not PP"),
        ("sans l'inox, priva di PP", "not PP"),
        ("neither PP nor cast iron", "not PP | Grauguss"),
        ("not PP or cast iron", "not PP | Grauguss"),
        ("not PP, cast iron or 1.4401", "not PP | Grauguss | 1.4401"),
        ("weder PP noch Grauguss", "not PP | Grauguss"),
        ("without PP and cast iron", "not PP | Grauguss"),
        ("not PP, cast iron", "not PP; Grauguss"),
        ("not PP and cast iron", "not PP; Grauguss"),
        ("no material PP", "not PP"),
        ("PP excluded", "not PP"),
        ("PP ist ausgeschlossen", "not PP"),
        ("PP escluso", "not PP"),
        ("escluso PP", "not PP"),
        ("PP 제외", "not PP"),
        ("PP이 아닌", "not PP"),
        ("PP以外", "not PP"),
        ("PP ではない", "not PP"),
        ("PP olmayan", "not PP"),
        ("1.4401, PP and cast iron excluded", "not 1.4401 | PP | Grauguss"),
        ("1.4401, PP excluded", "1.4401; not PP"),
        ("1.4401 and PP is not acceptable", "1.4401; not PP"),
        ("PP excluded from warranty", "PP"),
    ],
)
def test_negation_stands_at_its_word_and_reaches_what_is_joined_to_it(text: str, expected: str) -> None:
    assert asked(text) == {"material": expected}


def test_negation_does_not_reach_over_other_words() -> None:
    assert asked("we do not like the old one, PP") == {"material": "PP"}
    assert asked("not a question of price but PP") == {"material": "PP"}
    assert asked("no submersible pump") == {"submersible": "no", "family": "pump"}
    assert asked("not submersible, 5 kW") == {"submersible": "no", "power": "5 kW"}
    assert asked("senza l'EPDM") == {"seal": "not EPDM"}
    assert asked("PP, no lead times excluded") == {"material": "PP"}
    assert asked("motor escluso PP") == {"family": "motor", "material": "not PP"}
    assert asked("pump QGV-100 excluded") == {"family": "pump", "model": "not QGV-100"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a pump that does not contain PP", {"family": "pump", "material": "not PP"}),
        ("Pumpe, die kein PP enthält", {"family": "pump", "material": "not PP"}),
        ("som ikke inneholder PP", {"material": "not PP"}),
        ("że to pompa, która nie zawiera PP", {"family": "pump", "material": "not PP"}),
        ("bomba que no contenga nada, PP", {"material": "PP"}),
        ("must not contain any EPDM or PTFE", {"seal": "not EPDM | PTFE"}),
        ("a motor that does not leak and is submersible", {"family": "motor"}),
        ("pump that does not leak and is submersible", {"family": "pump", "submersible": "yes"}),
        ("pump that does not exceed a power of 5 kW", {"family": "pump", "power": "5 kW"}),
        ("pump that does not contain 1.4408", {"family": "pump", "material": "not 1.4408"}),
        ("pump that does not leak with EPDM", {"family": "pump", "seal": "EPDM"}),
        ("pump that should not be 5 kW", {"family": "pump", "power": "not 5 kW"}),
        ("we cannot find a pump of PP, do not know PP", {"family": "pump", "material": "PP"}),
        ("non return pump, nicht rostender Grauguss", {"family": "pump", "material": "Grauguss"}),
    ],
)
def test_a_denied_verb_denies_the_value_behind_it_and_neither_a_figure_nor_what_it_is_joined_to(
    text: str, expected: dict[str, str]
) -> None:
    assert asked(text) == expected


def test_a_denial_with_a_point_is_an_abbreviation_or_ends_its_sentence() -> None:
    assert asked("6 no. PP") == asked("Leaking? No. PP") == {"material": "PP"}
    assert asked("4 No. QGV-100") == {"model": "QGV-100"}
    assert asked("10 no. DN80 valves", of="valves") == {"dn": "80", "family": "valve"}


def test_a_kind_that_is_excluded_leaves_its_family() -> None:
    found = reading("pump, not a claw")
    assert [(need.name, need.asked) for need in found.needs] == [("family", "pump")]
    assert found.unread == ("claw",)


def test_two_families_are_alternatives_and_one_that_is_excluded_stands_apart() -> None:
    assert asked("pump or motor") == {"family": "pump | motor"}
    assert asked("pump without motor") == {"family": "pump; not motor"}


def test_what_only_offers_have_is_no_need_of_a_product() -> None:
    text = "brewery, Stadtwerke Suhl, Anna Nowak"
    assert asked(text) == {}
    expected = {"industry": "brewing", "customer": "Stadtwerke Suhl", "salesperson": "Anna Nowak"}
    assert asked(text, kind_of_row="line") == expected
    assert asked(text, kind_of_row="quote") == expected


@pytest.mark.parametrize("text", ["brewery", "breweries", "Breweries,"])
def test_a_plural_is_its_singular(text: str) -> None:
    assert asked(text, kind_of_row="line") == {"industry": "brewing"}


@given(st.sampled_from(["", "en", "n", "e"]), st.from_regex(r"[a-z]{4,8}[bcdfghklmnprtvw]", fullmatch=True))
def test_a_word_of_any_ending_has_the_stem_of_its_plural(ending: str, word: str) -> None:
    assert stem_of(f"{word}{ending}s") == stem_of(word + ending) == stem_of(word)


@pytest.mark.parametrize(
    ("plural", "word"), [("kleppen", "klep"), ("witte", "wit"), ("classes", "class"), ("Glas", "glass")]
)
def test_a_last_consonant_counts_once(plural: str, word: str) -> None:
    assert stem_of(plural.lower()) == stem_of(word)


@pytest.mark.parametrize(
    "text",
    [
        "pump with a motor",
        "pompa z silnikami",
        "Pumpe mit submersible Elektromotor",
        "pump for the motor",
        "pompa do silnika",
        "pompa per motor",
    ],
)
def test_what_goods_come_with_or_are_for_is_not_what_is_asked_for(text: str) -> None:
    assert asked(text)["family"] == "pump"
    assert asked(text, kind_of_row="quote")["family"] == "pump | motor"


def test_what_comes_with_nothing_or_with_a_figure_of_its_own_is_asked_for_itself() -> None:
    assert asked("one with a motor") == {"family": "motor"}
    assert asked("an offer for a motor") == {"family": "motor"}
    assert asked("pump with a 5 kW motor") == {"family": "pump | motor", "power": "5 kW"}


def test_a_word_for_a_kind_beside_a_value_is_the_attributes_name_where_goods_are_named() -> None:
    assert asked("pump, PTFE seal") == {"family": "pump", "seal": "PTFE"}
    assert asked("seal 5 mm") == {"family": "gasket"}


def test_a_word_of_a_value_stands_for_it_beside_its_attributes_name() -> None:
    assert asked("gland seal, pump") == {"seal": "gland packing", "family": "pump"}
    assert asked("gland, pump") == {"family": "pump"}


def test_a_value_narrows_its_class_and_one_that_is_excluded_is_not_asked_for() -> None:
    assert asked("stainless steel, 1.4408") == {"material": "1.4408"}
    assert asked("trouble with cast iron: anything but cast iron") == {"material": "not Grauguss"}


def test_number_words_are_figures_in_phrases() -> None:
    assert asked("2-stage pump") == asked("two-stage pump") == {"stages": "two-stage", "family": "pump"}
    assert asked("three phase") == asked("3-phase") == {"phases": "3"}


def test_values_with_an_order_are_read_though_no_row_has_them() -> None:
    assert asked("motor IP 66") == {"family": "motor", "protection": "IP66"}


def test_outcomes_are_values_of_what_was_offered() -> None:
    assert asked("lost pump offers", kind_of_row="quote") == {"status": "lost", "family": "pump"}
    assert asked("lost pump") == {"family": "pump"}


def test_a_word_that_stands_for_more_than_can_be_asked_stays_unread() -> None:
    listed = frozenset(("none", *(f"{power} kW motor, IP55" for power in range(60))))
    attributes = Attributes(by_name={"drive": Attribute("drive")}, listed={"drive": listed})
    found = read("motor drive", attributes=attributes, names=Names())
    assert (found.needs, found.unread) == ((), ("motor drive",))


def test_a_word_of_the_tenants_for_a_flags_value_beside_its_name_decides_and_not_its_mere_mention() -> None:
    attributes, names = trade("pumps")
    own = replace(
        attributes, terms={**attributes.terms, ("submersible", "yok"): ("no",), ("submersible", "var"): ("yes",)}
    )
    for text, expected in (("submersible yok", "no"), ("pump, submersible: yok", "no"), ("submersible var", "yes")):
        found = read(text, attributes=own, names=names)
        assert [need.asked for need in found.needs if need.name == "submersible"] == [expected]


def test_a_capital_alone_that_is_a_value_of_the_tenant_is_unread_without_its_name() -> None:
    assert reading("motor B").unread == ("B",)
    assert reading("motor size B").unread == reading("motor A for a pump").unread == ()


_BOTH = Attributes(
    {one.name: one for one in (Attribute("body", words=("made of",)), Attribute("trim"), Attribute("rating"))},
    listed={
        "body": frozenset(("X5", "X6")),
        "trim": frozenset(("X5", "Y7")),
        "rating": frozenset(("8#", "3.1", "AX 15")),
    },
    terms={("rating", "15#"): ("AX 15",)},
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("made of X5", {"body": "X5"}),
        ("X5 trim", {"trim": "X5"}),
        ("made of X5, trim Y7", {"body": "X5", "trim": "Y7"}),
        ("X5 trim Y7", {"body": "X5", "trim": "X5 | Y7"}),
        ("X5", {"body": "X5", "trim": "X5"}),
        ("15#", {"rating": "AX 15"}),
        ("8# X6", {"rating": "8#", "body": "X6"}),
        ("8 of 15", {}),
        ("3.1 X6", {"rating": "3.1", "body": "X6"}),
        ("3.1 kW, 3.1.2, 3.1x4, 3.1 - 5", {}),
    ],
)
def test_a_value_of_two_attributes_is_the_named_ones_and_a_figure_with_its_sign_or_mark_is_a_value(
    text: str, expected: dict[str, str]
) -> None:
    found = read(text, attributes=_BOTH, names=Names())
    assert {need.name: need.asked for need in found.needs} == expected
