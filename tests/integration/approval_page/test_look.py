
import pytest
from pathlib import Path
from psycopg.types.json import Jsonb
from tests.deployment import Deployment
from tests.inbox import Inbox
from tests.integration.approval_page.visiting import Browser, link_for
from tests.integration.cpq.approving import price, priced, ask
from tests.integration.cpq.drafts import rows
from tests.sample_rows import line, quote
from tests.integration.approval_page.test_page import MACHINE
from tests.integration.approval_page.test_costs import RULED
pytestmark = pytest.mark.usefixtures("served")

def test_look(deployment: Deployment, inbox: Inbox) -> None:
    own = {"manufacturer": "Powerex", "model": "SEHX10008-100", "unit_price": "90000"}
    deployment.put_quotes(*(quote(f"P-{y}", quote_date=f"{y}-05-01", customer="Lakeside Foundry") for y in (2022, 2023)),
        quote("P-own", quote_date="2021-05-01", customer="Acme Corp"), quote("P-lost", quote_date="2025-05-01", status="lost"))
    deployment.put_lines(line("P-2022", 1, "Oilless scroll.", **own), line("P-2023", 1, "O.", **{**own, "unit_price": "95000"}),
        line("P-own", 1, "O.", **{**own, "unit_price": "88000"}), line("P-lost", 1, "O.", **{**own, "unit_price": "99000"}))
    rows(deployment, RULED, Jsonb([{"measure": "margin_pct", "scope": "quote", "at_least": "99", "bands": [{"limit": None, "approver_role": "sales_manager"}]},
        {"measure": "payment_days", "scope": "quote", "at_most": "14", "bands": [{"limit": None, "approver_role": "sales_manager"}]}]))
    first = priced(deployment, MACHINE, ("prod_pro_v2", 150, {"attributes": {"billing": "annual"}}), term_months=12)
    link = link_for(first, inbox)
    Browser().decide(link, "approve", comment="Gut.")
    Path("/tmp/look").mkdir(exist_ok=True)
    price(first, discount=12)
    for language in ("de", "es", "pl", "cs", "fr", "en"):
        rows(deployment, "INSERT INTO quarry.house (tenant, language) VALUES ('acme', %s) ON CONFLICT (tenant, id) DO UPDATE SET language = excluded.language RETURNING id", language)
        if language == "de":
            link = link_for(first, inbox, justification="Müller & Söhne kaufen seit 2019. Конкурент предлагает меньше.")
            Path("/tmp/look/mail.txt").write_text(inbox.mail[0]["Subject"] + "\n\n" + inbox.mail[0]["Message"])
            b = Browser(); t = b.open(link).form_token
            b.send(link, form_token=t, decision="ask", comment="Warum?")
        page = Browser().open(link)
        Path(f"/tmp/look/{language}.html").write_text(page.body)
        b = Browser(); t = b.open(link).form_token
        Path(f"/tmp/look/{language}-fault.html").write_text(b.send(link, form_token=t, decision="limit", limit="40").body)
