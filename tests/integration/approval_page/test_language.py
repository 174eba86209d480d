"""The page and its notices in the language of the house, whoever reads: labels, reasons, figures, and the rest."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from cpq.approvals.wording import in_language
from local.files import ROOT
from tests.deployment import Deployment
from tests.inbox import Inbox
from tests.integration.approval_page.visiting import Browser, link_for
from tests.integration.cpq.approving import PAGE, ask, priced, variables
from tests.integration.cpq.drafts import rows

pytestmark = pytest.mark.usefixtures("served")

SPEAKS = """
    INSERT INTO quarry.house (tenant, language) VALUES ('acme', %s)
    ON CONFLICT (tenant, id) DO UPDATE SET language = excluded.language RETURNING id
"""


@pytest.fixture(autouse=True)
def house(deployment: Deployment, request: pytest.FixtureRequest) -> Iterator[None]:
    rows(deployment, SPEAKS, getattr(request, "param", "de"))
    yield
    rows(deployment, SPEAKS, None)


@pytest.mark.parametrize(
    ("house", "shown"),
    [
        ("de", ("Angebot {quote} freigeben?", "12.960,00 USD", "10 % Rabatt überschreiten", "Vertriebsleitung")),
        (
            "es",  # the house's country is US
            ("¿Aprobar la oferta {quote}?", "12,960.00 USD", "El descuento del 10 % supera", "Jefatura de ventas"),
        ),
        ("fr", ("Approuver le devis {quote} ?", "12 960,00 USD", "La remise de 10 % dépasse", "Non enregistré")),
        ("pl", ("Zatwierdzić ofertę {quote}?", "12 960,00 USD", "Rabat 10% przekracza", "Kierownik sprzedaży")),
        ("cs", ("Schválit nabídku {quote}?", "12 960,00 USD", "Sleva 10 % překračuje", "Vedoucí prodeje")),
        ("pt", ("Aprovar a proposta {quote}?", "12 960,00 USD", "O desconto de 10% excede", "Direção de vendas")),
        ("it", ("Approvare l’offerta {quote}?", "12.960,00 USD", "Lo sconto del 10% supera", "Responsabile vendite")),
        ("nl", ("Offerte {quote} goedkeuren?", "USD 12.960,00", "De korting van 10% overschrijdt", "Verkoopleiding")),
    ],
    indirect=["house"],
)
def test_the_page_is_in_the_houses_language(
    deployment: Deployment, inbox: Inbox, house: None, shown: tuple[str, ...]
) -> None:
    quote_id = priced(deployment)
    rows(deployment, "UPDATE cpq.accounts SET competitor_discount_pct = NULL WHERE id = 'acct_acme_001' RETURNING id")
    body = Browser().open(link_for(quote_id, inbox, justification="Кофе, Złoty Kłos, 東京")).body
    text = re.sub(r"<[^>]+>", "", body).replace("Enterprise Discount Cap", "")  # the policy's name, as it was loaded
    assert [each for each in shown if each.format(quote=quote_id) not in text] == []
    assert "Кофе, Złoty Kłos, 東京" in text
    for english in ("Approve", "Discount", "Margin", "exceeds", "Not on record", "Record my", "Payment"):
        assert not re.search(rf"\b{english}\b", text)
    assert not re.search(r'<html lang="en"', body)


def test_what_became_of_a_request_is_told_in_it_too(deployment: Deployment, inbox: Inbox) -> None:
    quote_id = priced(deployment)
    link = link_for(quote_id, inbox)
    ask(quote_id, escalation=True)
    assert "Diese Anfrage wurde weitergegeben" in Browser().open(link).text
    refused = Browser()
    link = inbox.links()[-1]
    sent = refused.send(link, form_token=refused.open(link).form_token, decision="limit", limit="40")
    assert "Nennen Sie einen Rabatt unter den 10 %" in sent.body
    assert "Ihre Frage" in refused.send(link, form_token=refused.open(link).form_token, decision="ask").text
    assert "Von Ihnen abgelehnt" in Browser().decide(link, "reject", comment="Zu viel.").text


def test_who_cannot_be_known_reads_in_the_browsers_language() -> None:
    page = Browser().open(f"{PAGE}/nothing", **{"accept-language": "xx,fr-FR;q=0.9,en;q=0.8"})
    assert (page.status, "Ce lien n’est pas valide" in page.text) == (404, True)
    assert "This link is not valid" in Browser().open(f"{PAGE}/nothing").text


def test_a_language_that_lacks_a_label_says_it_in_english_and_the_house_writes_its_own_figures(
    deployment: Deployment, inbox: Inbox, aws_variables: dict[str, str], tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "templates" / "pdf" / "labels", tmp_path / "pdf" / "labels")
    german = tmp_path / "pdf" / "labels" / "de.toml"
    text = german.read_text("utf-8")
    text = re.sub(r"^lead = .*$", 'lead = "{{requester}} {nobody}"', text, flags=re.MULTILINE)
    german.write_text(re.sub(r"^glance = .*\n", "", text, flags=re.MULTILINE), "utf-8")
    (tmp_path / "pdf" / "companies").mkdir()
    (tmp_path / "pdf" / "companies" / "acme.toml").write_text('group_mark = "\'"\ndecimal_mark = "."\n', "utf-8")
    with deployment.serving("quarry_write", **variables(inbox, aws_variables, TEMPLATES_DIR=str(tmp_path))):
        page = Browser().open(link_for(priced(deployment), inbox)).text
    assert "At a glance" in page
    assert "asks you, " in page
    assert "Gesamtbetrag mit Steuer 12'960.00 USD" in page
    marks = tmp_path / "pdf" / "companies" / "acme.toml"
    marks.write_text('decimal_mark = ","\n', "utf-8")
    with deployment.serving("quarry_write", TEMPLATES_DIR=str(tmp_path)):
        labels = in_language("fr", "CH", tenant="acme").labels
    assert (labels.decimal_mark, labels.amount_mark) == (",", None)
