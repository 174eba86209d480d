"""The narrow table of values says what the rows say, whatever happened to them; keys of texts are those of Python."""

from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from quarry.text import key_of
from tests.deployment import Deployment, as_tenant

texts = st.sampled_from(["bronze", "Grauguss", "cast-iron", "IP 54", "é"])
plain = st.one_of(
    st.floats(-1e6, 1e6, allow_nan=False), st.integers(-1000, 1000), st.booleans(), texts,
    st.lists(texts, min_size=1, max_size=3), st.tuples(st.integers(0, 9), st.integers(10, 20)).map(list),
)  # fmt: skip
stored = st.one_of(plain, st.builds(lambda value: {"value": value, "raw": "as written", "unit": "mm"}, plain))
attributes = st.one_of(
    st.none(), st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), stored, min_size=1, max_size=4)
)
steps = st.lists(
    st.tuples(st.sampled_from(["put", "put", "change", "move", "drop"]), st.integers(0, 4), attributes), max_size=12
)

PUT = """
    INSERT INTO equipment.products (tenant, model, manufacturer, category, family, description, attributes)
    VALUES ('property', %(model)s, 'Acme', 'P', 'pump', 'A pump', %(attributes)s)
    ON CONFLICT (tenant, manufacturer, model) DO UPDATE SET attributes = excluded.attributes
"""
CHANGE = "UPDATE equipment.products SET attributes = %(attributes)s WHERE model >= %(model)s"
MOVE = "UPDATE equipment.products SET description = description || '.'"
DROP = "DELETE FROM equipment.products WHERE model = %(model)s"
DONE = {"put": PUT, "change": CHANGE, "move": MOVE, "drop": DROP}


def rows_of(held: dict[int, dict[str, Any] | None]) -> list[tuple[Any, ...]]:
    """What the table has to hold, worked out here."""
    found: list[tuple[Any, ...]] = []
    for doc, own in held.items():
        for name, value in (own or {}).items():
            inner = value["value"] if isinstance(value, dict) else value
            raw = value["raw"] if isinstance(value, dict) else None
            if isinstance(inner, bool):
                found.append((doc, name, 1, "flag", "", None, None, inner, raw))
            elif isinstance(inner, int | float):
                found.append((doc, name, 1, "number", "", float(inner), float(inner), None, raw))
            elif isinstance(inner, list) and not isinstance(inner[0], str):
                found.append((doc, name, 1, "number", "", float(inner[0]), float(inner[1]), None, raw))
            else:
                several = [inner] if isinstance(inner, str) else inner
                found += [
                    (doc, name, place, "text", key_of(text), None, None, None, raw or text)
                    for place, text in enumerate(several, start=1)
                ]
    return sorted(found, key=lambda row: row[:3])


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps)
def test_values_are_what_the_rows_say_after_any_inserts_updates_and_deletes(
    deployment: Deployment, steps: list[tuple[str, int, dict[str, Any] | None]]
) -> None:
    deployment.declare(families=["pump"], tenant="property")
    with deployment.connect("quarry_ingest") as connection, as_tenant(connection, "property"):
        connection.execute("DELETE FROM equipment.products")
        for action, number, own in steps:
            given = {"model": f"M{number}", "attributes": None if own is None else Jsonb(own)}
            connection.execute(DONE[action].encode(), given)
        held = connection.execute("SELECT id, attributes FROM equipment.products").fetchall()
        narrow = connection.execute("""
            SELECT doc, attribute, place, kind, code, low, high, flag, raw FROM search.attribute_values
            WHERE corpus = 'equipment.products' ORDER BY doc, attribute, place
        """).fetchall()
    expected = rows_of({row["id"]: row["attributes"] for row in held})
    assert [tuple(row.values()) for row in narrow] == expected


LETTERS = st.characters(min_codepoint=1, max_codepoint=0x24F, exclude_characters="ŉ") | st.sampled_from(
    "ΑΒΓΔΕΖΗαβγδεςσάέήίΆабвгдеёйъыАБВГДЁЙıİßẞœøØłŁđĐþÞ²³½µΩ℃″’“–—‑‐／ｍ㎡ﬁ\u0301\u0308\u3000\u2003\u202f"
)

ASCII = st.characters(min_codepoint=1, max_codepoint=0x7F)


@example(["º", "30 ºC", "nº 5"])
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(LETTERS, max_size=30) | st.text(ASCII, max_size=30), min_size=1, max_size=30))
def test_the_key_of_a_text_is_the_same_in_the_database_and_in_python(
    deployment: Deployment, texts: list[str]
) -> None:
    rows = deployment.rows(
        "SELECT search.value_key(text) AS key FROM unnest(%(texts)s::text[]) AS text", {"texts": texts}
    )
    assert [row["key"] for row in rows] == [key_of(text) for text in texts]


@pytest.mark.parametrize(
    ("one", "other"),
    [("Grauguss", "GRAUGUSS"), ("oil-free", "Oil  free"), ("Złoty Kłos", "zloty klos"), ("Größe", "grosse")],
)
def test_spellings_of_one_value_share_a_key(deployment: Deployment, one: str, other: str) -> None:
    [row] = deployment.rows(
        "SELECT search.value_key(%(one)s) = search.value_key(%(other)s) AS alike", {"one": one, "other": other}
    )
    assert row["alike"]
