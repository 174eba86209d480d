"""Exports of four invented dealers in their own languages, loaded by guesses alone."""

from decimal import Decimal
from typing import NamedTuple

import pytest

from tests.integration.onboarding.conftest import Desk

PORTUGAL = {
    "products": "Referência;Designação;Marca;Família;Potência [kW]\n"
    "BC-40;Bomba centrífuga 40;Marítima;Bombas;4,0\nBC-65;Bomba centrífuga 65;Marítima;Bombas;7,5\n",
    "prices": "Ref.;Preço 1+;Preço 10+\nBC-40;1.234,56;1.111,10\nBC-65;2.890,00;2.601,00\n",
    "accounts": "N.º Cliente;Nome;Morada;Cód. Postal;Localidade;País;NIF;Segmento;Cond. Pagamento;Ativo\n"
    "2101;Águas do Vale, Lda.;Rua da Fonte 3;4700-123;Braga;Portugal;PT501234567;standard;30 dias;Sim\n"
    "2102;Conservas Atlântico, S.A.;Av. do Mar 9;2520-001;Peniche;Portugal;PT507654321;standard;60 dias;Não\n",
    "past_quotes": "N.º Proposta;Cliente;Data;Assunto;Vendedor;Estado;Total Líquido;Moeda\n"
    "PR-1;Águas do Vale, Lda.;03-11-2025;Captação;Rui Melo;Adjudicada;2.469,12;EUR\n"
    "PR-2;Conservas Atlântico, S.A.;14-10-2025;Salmoura;Rui Melo;Perdida;2.890,00;EUR\n",
    "line_items": "N.º Proposta;Linha;Referência;Descrição;Qtd.;Un.;Preço Unit.;Desc. %;Valor Total\n"
    "PR-1;1;BC-40;Bomba centrífuga 40;2;UN;1.234,56;0;2.469,12\n"
    "PR-2;1;BC-65;Bomba centrífuga 65;1;UN;2.890,00;0;2.890,00\n",
}
ITALY = {
    "products": "Codice articolo;Descrizione;Produttore;Categoria merceologica;Potenza [kW]\n"
    "PC-40;Pompa centrifuga 40;Adda;Pompe;4,0\nPC-65;Pompa centrifuga 65;Adda;Pompe;7,5\n",
    "prices": "Cod. art.;Prezzo di listino;Da quantità\nPC-40;1.234,56;1\nPC-40;1.111,10;10\nPC-65;2.890,00;1\n",
    "accounts": "Cod. cliente;Ragione sociale;Indirizzo;CAP;Città;Prov.;Nazione;P.IVA;Categoria cliente;Agente\n"
    "C100;Latteria Brenta S.r.l.;Via Roma 1;35013;Cittadella;PD;Italia;IT01234567890;standard;Sara Conti\n"
    "C101;Cartiera Piave S.p.A.;Via Po 2;31100;Treviso;TV;Italia;IT09876543210;standard;Sara Conti\n",
    "past_quotes": "N. preventivo;Ragione sociale;Data documento;Oggetto;Agente;Esito;Importo totale;Valuta\n"
    "P/1;Latteria Brenta S.r.l.;3 novembre 2025;Lavaggio;Sara Conti;Vinta;2.469,12;EUR\n"
    "P/2;Cartiera Piave S.p.A.;14 ottobre 2025;Macero;Sara Conti;Persa;2.890,00;EUR\n",
    "line_items": "N. preventivo;Riga;Codice articolo;Descrizione;Q.tà;U.M.;Prezzo unitario;Sconto %;Importo\n"
    "P/1;1;PC-40;Pompa centrifuga 40;2;pz;1.234,56;0;2.469,12\n"
    "P/2;1;PC-65;Pompa centrifuga 65;1;pz;2.890,00;0;2.890,00\n",
}
NETHERLANDS = {
    "products": "Artikelcode;Omschrijving;Merk;Artikelgroep;Vermogen [kW];Leverancier\n"
    "CP-40;Centrifugaalpomp 40;Waal;Pompen;4,0;Groothandel Oost\nCP-65;Centrifugaalpomp 65;Waal;Pompen;7,5;IJssel\n",
    "prices": "Artikelcode;Verkoopprijs excl. btw;Verkoopprijs incl. btw\n"
    "CP-40;1.234,56;1.493,82\nCP-65;2.890,00;3.496,90\n",
    "accounts": "Debiteurnr.;Naam;Adres;Postcode;Plaats;Land;Btw-nummer;Klantgroep;Betalingsconditie;Actief\n"
    "70001;Zuivel Lek B.V.;Dijk 4;3401 AB;IJsselstein;Nederland;NL001234567B01;standard;30 dagen;Ja\n"
    "70002;Papier Maas B.V.;Kade 8;5211 CD;Den Bosch;Nederland;NL007654321B01;standard;14 dagen;Nee\n",
    "past_quotes": "Offertenummer;Klant;Offertedatum;Onderwerp;Accountmanager;Status;Totaal excl. btw;Valuta\n"
    "OF-1;Zuivel Lek B.V.;03-11-2025;Spoelen;Jan Smit;Akkoord;2.469,12;EUR\n"
    "OF-2;Papier Maas B.V.;14-10-2025;Pulp;Jan Smit;Afgewezen;2.890,00;EUR\n",
    "line_items": "Offertenr.;Regel;Artikel;Artikelcode;Aantal;Eenheid;Stukprijs;Korting %;Bedrag\n"
    "OF-1;1;Centrifugaalpomp 40;CP-40;2;st;1.234,56;0;2.469,12\n"
    "OF-2;1;Centrifugaalpomp 65;CP-65;1;st;2.890,00;0;2.890,00\n",
}
POLAND = {
    "products": "Indeks;Nazwa towaru;Producent;Grupa towarowa;Moc [kW]\n"
    "PW-40;Pompa wirowa 40;Kłos;Pompy;4,0\nPW-65;Pompa wirowa 65;Kłos;Pompy;7,5\n",
    "prices": "Symbol;Cena brutto;Cena netto\nPW-40;1 518,51;1 234,56\nPW-65;3 554,70;2 890,00\n",
    "accounts": "Kod kontrahenta;Nazwa kontrahenta;Ulica;Kod pocztowy;Miejscowość;Kraj;NIP;Grupa cenowa;Opiekun\n"
    "K1;Mleczarnia Łąka;Młyńska 5;30-001;Kraków;Polska;PL5250001090;standard;Ewa Żak\n"
    "K2;Papiernia Śnieżka;Leśna 7;58-500;Jelenia Góra;Polska;PL5250001091;standard;Ewa Żak\n",
    "past_quotes": "Nr oferty;Kontrahent;Data wystawienia;Temat;Handlowiec;Wynik;Wartość netto;Waluta\n"
    "O/1;Mleczarnia Łąka;03.11.2025;Mycie;Ewa Żak;Wygrana;2 469,12;PLN\n"
    "O/2;Papiernia Śnieżka;14.10.2025;Masa;Ewa Żak;Przegrana;2 890,00;PLN\n",
    "line_items": "Nr oferty;Lp.;Indeks;Nazwa towaru;Ilość;J.m.;Cena netto;Rabat %;Wartość netto\n"
    "O/1;1;PW-40;Pompa wirowa 40;2;szt.;1 234,56;0;2 469,12\n"
    "O/2;1;PW-65;Pompa wirowa 65;1;szt.;2 890,00;0;2 890,00\n",
}


class Dealer(NamedTuple):
    """A dealer's ``files`` by kind, and what they have of their own: all four sell the same at the same prices."""

    files: dict[str, str]
    family: str
    maker: str
    country: str
    currency: str
    accounts: list[tuple[str, str, str, str]]
    quotes: list[str]
    salesperson: str
    unit: str


DEALERS = {
    "pt": Dealer(
        files=PORTUGAL,
        family="Bombas",
        maker="Marítima",
        country="PT",
        currency="EUR",
        accounts=[
            ("acct_2101", "Águas do Vale, Lda.", "4700-123", "Braga"),
            ("acct_2102", "Conservas Atlântico, S.A.", "2520-001", "Peniche"),
        ],
        quotes=["PR-1", "PR-2"],
        salesperson="Rui Melo",
        unit="UN",
    ),
    "it": Dealer(
        files=ITALY,
        family="Pompe",
        maker="Adda",
        country="IT",
        currency="EUR",
        accounts=[
            ("acct_c100", "Latteria Brenta S.r.l.", "35013", "Cittadella"),
            ("acct_c101", "Cartiera Piave S.p.A.", "31100", "Treviso"),
        ],
        quotes=["P/1", "P/2"],
        salesperson="Sara Conti",
        unit="pz",
    ),
    "nl": Dealer(
        files=NETHERLANDS,
        family="Pompen",
        maker="Waal",
        country="NL",
        currency="EUR",
        accounts=[
            ("acct_70001", "Zuivel Lek B.V.", "3401 AB", "IJsselstein"),
            ("acct_70002", "Papier Maas B.V.", "5211 CD", "Den Bosch"),
        ],
        quotes=["OF-1", "OF-2"],
        salesperson="Jan Smit",
        unit="st",
    ),
    "pl": Dealer(
        files=POLAND,
        family="Pompy",
        maker="Kłos",
        country="PL",
        currency="PLN",
        accounts=[
            ("acct_k1", "Mleczarnia Łąka", "30-001", "Kraków"),
            ("acct_k2", "Papiernia Śnieżka", "58-500", "Jelenia Góra"),
        ],
        quotes=["O/1", "O/2"],
        salesperson="Ewa Żak",
        unit="szt.",
    ),
}
TIERED = ("pt", "it")
"""Whose files have prices from a quantity on."""


def loaded(desk: Desk, kind: str, text: str, **constants: str) -> None:
    """Loads what the guess gives."""
    said = "".join(f'{name} = "{value}"\n' for name, value in constants.items())
    given = f'kind = "{kind}"\n[[tables]]\nfields = {{}}\n[tables.constants]\n{said}' if said else ""
    desk.load_whole(kind, text, given)


@pytest.mark.parametrize("language", DEALERS)
def test_a_dealers_exports_are_stored_by_guesses_alone(desk: Desk, language: str) -> None:
    dealer = DEALERS[language]
    words = "Potência|Potenza|Vermogen|Moc"
    desk.has_segment("standard")
    desk.load(kind="families", text=f"family,words\npump,{dealer.family}\n")
    desk.load(kind="attributes", text=f"name,families,kind,unit,words\npower,pump,number,kW,{words}\n")
    desk.load(kind="price_books", text=f"id,name,currency\npb_2026,List,{dealer.currency}\n")
    loaded(desk, "products", dealer.files["products"])
    loaded(desk, "products_for_sale", dealer.files["products"])
    loaded(desk, "prices", dealer.files["prices"], price_book_id="pb_2026")
    loaded(desk, "accounts", dealer.files["accounts"], currency=dealer.currency)
    loaded(desk, "past_quotes", dealer.files["past_quotes"])
    loaded(desk, "line_items", dealer.files["line_items"])

    goods = desk.rows("SELECT manufacturer, family, description, attributes FROM equipment.products ORDER BY model")
    assert [(row["manufacturer"], row["family"]) for row in goods] == [(dealer.maker, "pump")] * 2
    assert [row["attributes"]["power"] for row in goods] == [4, 7.5]
    assert [row["description"][-2:] for row in goods] == ["40", "65"]
    prices = desk.rows("SELECT price, tiers FROM cpq.price_book_entries ORDER BY price")
    assert [row["price"] for row in prices] == [Decimal("1234.56"), Decimal("2890.00")]
    tiers = [(tier["min"], tier["price"]) for tier in prices[0]["tiers"]]
    assert tiers == ([(1, "1234.56"), (10, "1111.10")] if language in TIERED else [])
    accounts = desk.rows(
        "SELECT id, name, billing_address ->> 'postal_code' AS code, billing_address ->> 'city' AS city, country,"
        " currency, segment FROM cpq.accounts ORDER BY id"
    )
    assert [(row["id"], row["name"], row["code"], row["city"]) for row in accounts] == dealer.accounts
    assert {(row["country"], row["currency"], row["segment"]) for row in accounts} == {
        (dealer.country, dealer.currency, "standard")
    }
    quotes = desk.rows(
        "SELECT quote_number, customer, quote_date::text AS day, status, total_price, currency, salesperson"
        " FROM quotes.past_quotes ORDER BY quote_number"
    )
    assert [tuple(row.values()) for row in quotes] == [
        (number, account[1], day, status, Decimal(total), dealer.currency, dealer.salesperson)
        for number, account, day, status, total in zip(
            dealer.quotes,
            dealer.accounts,
            ("2025-11-03", "2025-10-14"),
            ("won", "lost"),
            ("2469.12", "2890.00"),
            strict=True,
        )
    ]
    lines = desk.rows(
        "SELECT position, model, family, quantity, unit_price, extended_price, unit, list_price, currency"
        " FROM quotes.line_items ORDER BY quote_id"
    )
    assert [(row["quantity"], row["unit_price"], row["extended_price"]) for row in lines] == [
        (2, Decimal("1234.56"), Decimal("2469.12")),
        (1, Decimal("2890.00"), Decimal("2890.00")),
    ]
    assert {(row["position"], row["family"], row["unit"], row["list_price"], row["currency"]) for row in lines} == {
        (1, "pump", dealer.unit, None, dealer.currency)
    }


def test_yes_and_no_stand_in_the_words_of_the_file(desk: Desk) -> None:
    desk.has_segment("standard")
    for language in ("pt", "nl"):
        loaded(desk, "accounts", DEALERS[language].files["accounts"], currency="EUR")
    active = desk.rows("SELECT active, payment_terms FROM cpq.accounts ORDER BY id")
    assert [row["active"] for row in active] == [True, False, True, False]
    assert [row["payment_terms"] for row in active] == ["30 dias", "60 dias", "30 dagen", "14 dagen"]
