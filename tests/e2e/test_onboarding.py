"""A whole company through /mcp/onboarding: its files are opened, checked, mended, loaded, and found by /mcp/sales."""

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from jsonschema import Draft202012Validator
from openpyxl import Workbook

from local.files import ROOT
from tests.fronts import guarded_front, keys
from tests.house import House

pytestmark = pytest.mark.stack

SCHEMAS = {
    tool["name"]: tool["outputSchema"]
    for tool in json.loads((ROOT / "proxy/manifest.json").read_text("utf-8"))["tools"]
}
GOODS: list[list[object]] = [
    ["Preisliste 2026", None, None, None, None, None, None],
    ["Art.-Nr.", "Bezeichnung", "Gruppe", "Förderhöhe", "Fördermenge", "Werkstoff", "Preis netto EUR"],
    ["", "", "", "m", "m³/h", "", ""],
    ["NP 32-160", "Normpumpe mit Gleitringdichtung", "Kreiselpumpen", 32, 12.5, "Grauguss", 1480],
    ["NP 40-200", "Normpumpe, verstärkte Welle", "Kreiselpumpen", 51, 25, "1.4408", 2965.5],
    ["TM 50", "Tauchmotorpumpe für Schmutzwasser", "Tauchpumpen", 11, 30, "Grauguss", 890],
    ["TM 80", "Tauchmotorpumpe mit Freistromrad", "Tauchpumpen", "auf Anfrage", 60, "Grauguss", 1790],
]
PAST = (
    "Angebot;Kunde;Datum;Projekt;Text;Status;Summe\n"
    "A-2501;Molkerei Süd GmbH;14.03.2025;CIP-Rücklauf;Zwei Normpumpen aus Edelstahl;Auftrag;5.931,00\n"
    "A-2502;Stadtwerke Nord;02.06.2025;Pumpwerk;Tauchpumpe für das Pumpwerk am Hafen;abgelehnt;1.790,00\n"
)
FAMILIES = (
    "family,name,words\ncentrifugal_pump,Centrifugal pump,de:Kreiselpumpe|de:Normpumpe\n"
    "submersible_pump,Submersible pump,de:Tauchpumpe|de:Tauchmotorpumpe\n"
)
ATTRIBUTES = (
    "name,families,kind,unit,sense,low,high,words\nhead,,number,m,at_least,0,400,de:Förderhöhe\n"
    "flow,,number,m³/h,at_least,0,2000,de:Fördermenge\nbody,,text,,exactly,,,de:Werkstoff\n"
)
VOCABULARY = "term,language,attribute,value\nstainless steel,en,body,1.4408\ncast iron,en,body,Grauguss\n"


OF_LIST = 'sheet = "Liste"\nskip = 1\nheader_rows = 2'
PRODUCTS = """
manufacturer = "Nordpumpen"
[tables.fields]
model = { from = "Art.-Nr." }
category = { from = "Gruppe" }
description = { from = "Bezeichnung" }
family = { from = "Gruppe", values = { Kreiselpumpen = "centrifugal_pump", Tauchpumpen = "submersible_pump" } }
"attributes.flow" = { from = "Fördermenge m³/h", unit = "m³/h" }
"attributes.body" = { from = "Werkstoff" }
"attributes.head" = { from = "Förderhöhe m", unit = "m" }
"""
MENDED = PRODUCTS.replace('unit = "m" }', 'unit = "m", values = { "auf Anfrage" = "(empty)" } }')
SOLD = """
manufacturer = "Nordpumpen"
product_type = "simple"
[tables.fields]
id = { from = "Art.-Nr." }
sku = { from = "Art.-Nr." }
name = { from = "Bezeichnung" }
description = { from = "Bezeichnung" }
category = { from = "Gruppe" }
model = { from = "Art.-Nr." }
"""
PRICED = """
price_book_id = "pb_list"
[tables.fields]
product_id = { from = "Art.-Nr." }
price = { from = "Preis netto EUR" }
"""
QUOTES = """
currency = "EUR"
[tables.fields]
quote_number = { from = "Angebot" }
customer = { from = "Kunde" }
quote_date = { from = "Datum" }
project = { from = "Projekt" }
summary = { from = "Text" }
status = { from = "Status", values = { Auftrag = "won", abgelehnt = "lost" } }
total_price = { from = "Summe" }
"""


def mapping(kind: str, said: str, *, about: str = OF_LIST, written: str = "") -> str:
    """``said`` are constants and fields."""
    return f'kind = "{kind}"\n{written}\n[[tables]]\n{about}\n[tables.constants]{said}'


@dataclass(frozen=True)
class Agent:
    """It has one key and two addresses; every answer is held to the schema that its tool lists."""

    url: str
    key: str

    def ask(self, tool: str, *, at: str = "onboarding", **arguments: Any) -> dict[str, Any]:
        answer = self.send("tools/call", at=at, name=tool, arguments=arguments)["result"]
        assert answer["isError"] is False, answer["content"]
        result = answer["structuredContent"]
        Draft202012Validator(SCHEMAS[tool]).validate(result)
        return dict(result)

    def send(self, method: str, *, at: str, **params: Any) -> dict[str, Any]:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = {"X-API-Key": self.key, "Accept": "application/json, text/event-stream"}
        answer: dict[str, Any] = httpx2.post(f"{self.url}/mcp/{at}", json=body, headers=headers, timeout=120).json()
        return answer

    def bring(self, name: str, content: bytes) -> str:
        upload = self.ask("file_open", name=name, size=len(content))["upload"]
        assert httpx2.put(upload["url"], content=content).status_code == 200
        return name

    def load(self, **arguments: Any) -> dict[str, Any]:
        check = self.ask("load_check", **arguments)
        assert "rejected" not in check["rows"], check
        loaded = self.ask("load", check_id=check["check_id"])
        assert loaded["rows"] == check["rows"]
        return loaded


@pytest.fixture(scope="module")
def agent(house: House) -> Iterator[Agent]:
    scopes = "onboarding,equipment:read,quotes:read,cpq:read"
    told = keys(house.data_dir, "create", "onboarding", "--tenant", "nordpumpen", "--new-tenant", "--scopes", scopes)
    with guarded_front(house.data_dir) as url:
        yield Agent(url, told.splitlines()[0])


def workbook() -> bytes:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Liste"
    for row in GOODS:
        sheet.append(row)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def test_a_company_comes_in_is_taken_back_comes_in_again_and_its_goods_are_found(agent: Agent) -> None:
    goods = agent.bring("Preisliste 2026.xlsx", workbook())
    past = agent.bring("angebote.csv", PAST.encode("cp1252"))
    assert {each["name"] for each in agent.ask("file_open")["files"]} == {goods, past}
    assert "'Förderhöhe m': 4 filled" in agent.ask("file_open", name=goods)["contents"]

    draft = agent.ask("load_check", kind="products", file=goods, mapping=mapping("products", PRODUCTS))
    assert draft["rows"] == {"read": 4, "rejected": 4}
    proposed = agent.ask(
        "trade_check",
        families=FAMILIES,
        attributes=ATTRIBUTES,
        vocabulary=VOCABULARY,
        check_id=draft["check_id"],
    )
    assert "head from Förderhöhe m: 3 of 4 rows; 11..51 m" in proposed["attributes"]
    assert "'auf Anfrage' in Liste!D7" in proposed["unread"][0]
    agent.load(kind="families", text=FAMILIES)
    agent.load(kind="attributes", text=ATTRIBUTES)
    agent.load(kind="vocabulary", text=VOCABULARY)

    wrong = agent.ask("load_check", kind="products", file=goods, mapping=mapping("products", PRODUCTS))
    assert wrong["rows"] == {"read": 4, "new": 3, "rejected": 1}
    assert wrong["unused"][0] == "cell '(A1)' of sheet 'Liste' is read by no field: 'Preisliste 2026'"
    priced = "column 'Preis netto EUR' of sheet 'Liste' is read by no field: 4 cells"
    assert any(each.startswith(priced) for each in wrong["unused"])
    mended = mapping("products", MENDED)
    first = agent.load(kind="products", file=goods, mapping=mended)
    agent.load(kind="products_for_sale", file=goods, mapping=mapping("products_for_sale", SOLD))
    agent.load(kind="price_books", text="id,name,currency\npb_list,List,EUR\n")
    agent.load(kind="prices", file=goods, mapping=mapping("prices", PRICED))
    written = 'numbers = "1.234,56"\ndates = "day first"'
    agent.load(kind="past_quotes", file=past, mapping=mapping("past_quotes", QUOTES, about="", written=written))

    assert agent.ask("load_undo", load_id=first["load_id"])["removed"] == 4
    assert agent.load(kind="products", file=goods, mapping=mended)["rows"] == {"read": 4, "new": 4}
    listed = agent.ask("loads")["loads"]
    assert [each["state"] for each in listed if each["kind"] == "products"] == ["loaded", "undone"]

    found = agent.ask(
        "search_equipment",
        at="sales",
        query="pump",
        needs=[{"attribute": "head", "is": "40 m"}, {"attribute": "body", "is": "1.4408"}],
    )
    assert "NP 40-200" in found["rows"][0]
    sale = agent.ask("catalog_search", at="sales", query="NP 40-200")["items"][0]
    assert (sale["sku"], sale["base_price"]) == ("NP 40-200", "2965.50")


def test_a_key_for_reading_lists_no_tool_that_loads(house: House) -> None:
    reading = keys(house.data_dir, "create", "reading", "--scopes", "read").splitlines()[0]
    with guarded_front(house.data_dir) as url:
        tools = Agent(url, reading).send("tools/list", at="equipment,onboarding")["result"]["tools"]
        assert {tool["name"] for tool in tools} & {"file_open", "load_check", "load", "loads"} == set()
        refused = Agent(url, reading).send("tools/call", at="onboarding", name="loads", arguments={})
        assert "onboarding:read" in json.dumps(refused)
