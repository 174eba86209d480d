"""Terms of payment as people write them."""

from decimal import Decimal

import pytest
from pydantic import TypeAdapter

from cpq.payment import PaymentTerms, coded, due, early_pct, leaves_open, worded


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("net_30", 30),
        ("30 Tage netto / 30 days net", 30),
        ("14 Tage (2 Wochen)", 14),
        ("30 EOM + 30 days", 91),
        ("30 jours fin de mois + 30", 91),
        ("30 Tage Ultimo", 61),
        ("Último pago a 60 días", 60),
        ("2 % Skonto / 10 Tage, 30 Tage netto", 30),
        ("30 days net or 14 days / 2%", 30),
        ("3 % / 10 Tage, Rest nach Abnahme", None),
        ("30 % Anzahlung / 30 Tage", 30),
        ("30 dni (2% 7 dni)", None),
        ("30 giorni (sconto 2 % entro 10 giorni) fine mese", None),
        ("2 % Skonto / 10 Tage / 30 Tage netto", 30),
        ("14 Tage (2 Wochen) + MwSt", 14),
        ("30 Tage ab Ultimo", 61),
        ("30 Tage netto ultimo", 61),
        ("Ultimo + 30 Tage", 61),
        ("ultimo pagamento a 60 giorni", 60),
        ("30 Tage netto (Monatsende)", 61),
        ("30 jours / fin de mois", 61),
        ("45 j FDM", 76),
        ("3% 10 days / 2% 20 days / net 30", 30),
        ("due_on_receipt", 0),
        ("Net 45", 45),
        ("30 days net, 2% within 10 days", 30),
        ("2/10 net 30", 30),
        ("2% 10 NET 30", 30),
        ("COD", 0),
        ("CIA", 0),
        ("30 dagar netto", 30),
        ("30 dgr", 30),
        ("30 dage netto", 30),
        ("14 Tage netto, 2,5 % Skonto innerhalb 7 Tagen", 14),
        ("innerhalb von 8 Tagen 3% Skonto oder 30 Tage netto", 30),
        ("30 jours fin de mois", 61),
        ("30 EOM", 61),
        ("net_30 plus 90 days", 120),
        ("1000 days", None),
        ("60EOM", 91),
        ("30 fine mese", 61),
        ("EOM", None),
        ("fine mese successivo", 62),
        ("end of the month following the invoice", 62),
        ("30 Tage zum Ende des Folgemonats", 92),
        ("do końca następnego miesiąca", 62),
        ("月末締め翌月末払い", 62),
        ("within 1 month following receipt of invoice", 31),
        ("Net 30, statement in the following month", 30),
        ("prepayment or following month", 62),
        ("30 Tage, sonst Ende des Folgemonats", 62),
        ("a 60 días", 60),
        ("14 T. netto", 14),
        ("2 months from the invoice", 61),
        ("przelew 21 dni od daty faktury, oferta ważna 30 dni", 21),
        ("przedpłata", 0),
        ("splatnost 14 dní, 2 % do 7 dní", 14),
        ("30 dní konec měsíce", 61),
        ("sofort fällig", 0),
        ("30 giorni data fattura fine mese", 61),
        ("bonifico 60 gg d.f.", 60),
        ("binnen 30 dagen na factuurdatum", 30),
        ("30 dias da data da fatura", 30),
        ("pronto pagamento", 0),
        ("vooruitbetaling", 0),
        ("50 % Vorkasse, 50 % 30 Tage", None),
        ("when the moon is full", None),
        ("as agreed", None),
        ("Net 45, FOB Destination, freight prepaid, valid 60 days", 45),
        ("30% with order, balance Net 30, FOB Factory, valid 45 days", 30),
        ("100% prepayment", 0),
        ("100 % передоплата", 0),
        ("50% prepayment, 50% before shipment", None),
        ("שוטף + 30", 61),
        ("שוטף+60", 91),
        ("EOM + 30", 61),
        ("מזומן", 0),
        ("advance payment", 0),
        ("30 يوم نهاية الشهر", 61),
        ("月结30天", 61),
        ("30日以内", 30),
        ("月末締め翌月末現金払い", 62),
        ("현금으로", 0),
        ("30 ημέρες τέλος μήνα", 61),
        ("наличными", 0),
    ],
)
def test_days_are_read_or_nothing_is(text: str, read: int | None) -> None:
    assert due(text) == read


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("2/10 net 30", "2"),
        ("3% 10 days / 2% 20 days / net 30", "3"),
        ("2/10 N30", "2"),
        ("3 % Skonto / 8 Tage, 2 % Skonto / 14 Tage, 30 Tage netto", "3"),
        ("30 days net or 14 days / 2%", "2"),
        ("Vorkasse / 2 % Skonto", "2"),
        ("14 Tage (2,5 % Skonto), 30 Tage netto", "2.5"),
        ("3 % Skonto / 8 Tage / 2 % Skonto / 14 Tage / 30 Tage netto", "3"),
        ("2% 10 NET 30", "2"),
        ("5% retention, Net 30", "0"),
        ("10 % Anzahlung, Rest 30 Tage netto", "0"),
        ("14 Tage 3 % Skonto, 30 Tage netto", "3"),
        ("splatnost 14 dní, 2,5 % do 7 dní", "2.5"),
        ("30% with order, balance Net 30", "0"),
        ("50 % Vorkasse, 2 % Skonto in 10 Tagen", "2"),
        ("net_30", "0"),
    ],
)
def test_what_comes_off_for_paying_early_is_read_and_a_share_to_be_paid_is_not(text: str, taken: str) -> None:
    assert early_pct(text) == Decimal(taken)


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("30 Tage netto, abzüglich 20 % Nachlass", True),
        ("30 dni netto, premia roczna 8%", True),
        ("30 Tage netto, Gutschrift 5.000 EUR", True),
        ("Net 30; price reduced by 1,000 EUR", True),
        ("30 % Vorkasse, Rest 30 Tage netto", True),
        ("30/60/90 days", True),
        ("30 % zaliczki, 70 % przed wysyłką, 30 dni", False),
        ("14 Tage 3 % Skonto, 30 Tage netto", False),
        ("2/10 net 30", False),
        ("EOM + 30", False),
        ("2% skonta / 7 dni, 30 dni", False),
        ("100 % передоплата", False),
        ("Net 45, freight prepaid, valid 60 days", False),
    ],
)
def test_a_figure_that_nothing_counts_leaves_terms_open(text: str, *, is_open: bool) -> None:
    assert leaves_open(text) is is_open


@pytest.mark.parametrize(("text", "stored"), [("30", "net_30"), ("0", "due_on_receipt"), ("60 dni", "60 dni")])
def test_a_number_alone_that_is_agreed_is_of_days(text: str, stored: str) -> None:
    assert TypeAdapter(PaymentTerms).validate_python(text) == stored


def test_codes_are_printed_in_words_and_free_text_to_the_letter() -> None:
    assert worded("net_30") == "Net 30 days"
    assert worded("due_on_receipt") == "Due on receipt"
    assert worded("30 Tage netto, 2 % Skonto") == "30 Tage netto, 2 % Skonto"


@pytest.mark.parametrize(
    "text",
    ["30 Tage netto", "30 days net", "30 jours net", "net 30 days", "30 pv netto", "30 gün", "30 днів", "30日"],
)
def test_what_says_only_when_all_is_due_is_the_same_in_any_language(text: str) -> None:
    assert coded(text) == "net_30"


@pytest.mark.parametrize("text", ["30 days net, 2% within 10 days", "30 jours fin de mois", "30 EOM", "as agreed"])
def test_what_says_more_than_when_all_is_due_stays_as_it_is(text: str) -> None:
    assert coded(text) == text
