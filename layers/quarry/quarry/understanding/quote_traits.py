"""What a past quote tells of its price, its terms and how it ended, read from its texts."""

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from quarry.understanding.text import fold, text_of
from quarry.understanding.traits import MOST_CHARACTERS, said_in
from quarry.understanding.words import Vocabulary

MOST_STORIES = 10_000
"""Stories of quotes of which a process remembers what they are about."""
NOTHING: frozenset[str] = frozenset()

TOLD: Mapping[str, Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        attribute: {value: re.compile(pattern) for value, pattern in values.items()}
        for attribute, values in {
            "reason": {
                "price": r"on price|first cost|cheap|under ?(cut|bid)|lower (bid|price|offer)|low bid|\d (%"
                r"|points) (below|less)"
                r"|\bless than ours|under us|price gap|too (high|dear)|\d lower|% (darunter|tiefer|billiger"
                r"|mas barato)"
                r"|sur le prix|am preis|wegen preis|por (el )?precio|moins cher|mas barat|guenstiger"
                r"|gunstiger|billiger",
                "delivery": r"deliver|lead time|lieferzeit|liefertermin|delai|plazo|in stock|on the floor|\bweeks",
                "stock": r"\bstock|on the floor|stood in|next day|lagerware|ab lager|existencia|inventario",
                "competitor": r"compet|dealer|lost to|went (to|with)|mitbewerb|wettbewerb|concurren"
                r"|distribuidor|other house"
                r"|another house|low bid|supply house",
                "direct": r"sold direct|sells .{0,20}direct|(bot|an einen) .{0,30}direkt|directement"
                r"|directo del fabricante",
                "rental": r"\brent|lease|\bmiet|location|renta\b|alquil",
                "budget": r"(no|without a) budget|budget (was|is|got|ran|cut|gone|frozen|freeze)|out of budget"
                r"|no money|sin presupuesto"
                r"|presupuesto (no|se)|(kein|ohne) budget|budget (gestrichen|fehlt)|(pas|plus) de budget"
                r"|\blevy|grant (was|money|did)|purse|capital committee|kein geld",
                "stopped": r"cancel|stopp|postpone|put off|put on hold|annule|gestoppt|shelved|idled"
                r"|storniert|verschoben",
                "relocation": r"moved to|verlegt|verlagert|idled|plant closed|relocat|delocalis|trasladad",
                "guarantee": r"guarantee|penalty|garantie|garantia",
                "technical": r"spec|did not (fit|meet)|fit .{0,20}better",
                "auction": r"auction|second.?hand|\bused\b|gave one away|gebraucht|occasion|subasta|versteiger",
                "rebuild": r"rebuil|overhaul|uberhol|reconstru|refait|reparad",
                "service": r"service vor ort|servicestelle|local service|service (nearby|close)",
            },
            "price": {
                "gpo": r"\bgpo\b|price schedule|state contract|marche public|rahmenvertrag|public bid"
                r"|\bbid at\b|tender|ausschreibung|licitacion|appel d.offres",
                "rebate": r"rebate|incentive|utility",
                "trade-in": r"trade.?in|buy.?back|core return|altger|reprise",
                "surcharge": r"surcharge|escalator|tariff|price increase|factory increases",
                "margin": r"margin|at cost|cost plus",
                "discount": r"\bless \d|\d ?%? off|\bpoints\b|minus \d|moins \d|menos \d",
                "exchange-rate": r"exchange rate|currency clause|rate (fixed|locked|of )|, rate \d"
                r"|tipo de cambio|clausula cambiaria"
                r"|taux de change|clause de change|wechselkurs|wahrungsklausel|kurs (fest|fix)",
                "tax-exempt": r"tax.?exempt|exempt from|tax free|exento de imp|sin iva|exonere|steuer(frei"
                r"|befreit)|ohne mwst",
                "prompt-payment": r"cash|skonto|pronto pago|de contado|escompte|early pay|prompt pay"
                r"|pa(id|yment) (in|within) (\w+ )?(ten|\d+) days",
                "deposit": r"\d ?% (with|on|at|bei|a la|al) (the )?(order|bestellung|auftrag|commande|pedido)"
                r"|deposit|down payment"
                r"|anticipo|enganche|anzahlung|vorkasse|acompte|arrhes|prepayment|paid in advance",
                "matched": r"match(ed|ing)? |compet(itor|ing|ition)|stay under|came? in under|mitbewerb"
                r"|wettbewerb|concurren",
                "free": r"thrown in|no charge|free of|for free|\bfree\b(?! freight)|priced at zero|gratis"
                r"|kostenlos|ohne berechnung"
                r"|sin (cargo|costo)|gratuit|offert",
                "increase": r"(list|price|preise?|lista|tarif) (\w+ ){0,3}(up|plus|moved|subio|gestiegen"
                r"|augment)|went up|increase"
                r"|raised \d|since then|% since|preiserhohung|hausse",
                "freight": r"freight (allowed|prepaid|included|free)|free freight|fracht .{0,20}(enthalten|frei)"
                r"|portes pagados|franco",
            },
        }.items()
    }
)
"""How a quote tells why it was lost and how it was priced; folded text."""


RIVAL = re.compile(r"compet|mitbewerb|wettbewerb|concurren|other house|another house")
"""How a quote tells who else was in the running, if it was won too; any other reason is why one was lost."""


OF_TERMS = frozenset(("deposit", "exchange-rate", "prompt-payment", "tax-exempt"))
"""What the terms of payment tell of a price."""


@lru_cache(maxsize=MOST_STORIES)
def _uses(story: str) -> frozenset[str]:
    """What the air or vacuum of a quote is for, as its story says."""
    return said_in(story[:MOST_CHARACTERS], Vocabulary.shipped(), "").get("use", NOTHING)


def quote_traits(row: Mapping[str, object]) -> Mapping[str, frozenset[str]]:
    """What a past quote's rationale and summary tell of price and outcome."""
    told = fold(f"{text_of(row, 'price_rationale')} {text_of(row, 'summary')}")
    terms = fold(text_of(row, "terms"))
    found = {
        attribute: frozenset(value for value, pattern in values.items() if pattern.search(told))
        for attribute, values in TOLD.items()
    }
    found["price"] |= {value for value in OF_TERMS if TOLD["price"][value].search(terms)}
    if row.get("status") != "lost":
        found["reason"] = frozenset({"competitor"}) if RIVAL.search(told) else NOTHING
    found["use"] = _uses(f"{text_of(row, 'project')}. {text_of(row, 'summary')}")
    return MappingProxyType({attribute: values for attribute, values in found.items() if values})
