"""What the client's user is asked before a quote is written, where the client can ask: whom it is for."""

from collections.abc import Mapping

from cpq.quotes import queries
from quarry.data.database import Connection
from quarry.precedents import accounts
from quarry.tool.questions import InputRequired, Round, filled, form

ACCOUNT = "account_id"

MOST_TO_CHOOSE_FROM = 8


def account_meant(connection: Connection, account_id: str, *, round_: Round) -> str:
    """The account that the user chose for an id that is none; the same id where it is one, where nothing resembles
    it, or where nobody was asked or chose.
    """
    if not round_.forms or queries.account_exists(connection, account_id=account_id):
        return account_id
    _, rows, _ = accounts.search(connection, account_id, limit=MOST_TO_CHOOSE_FROM, offset=0)
    choices = {str(row[ACCOUNT]): row for row in rows if row["active"]}
    if not choices:
        return account_id
    if (answer := round_.answers.get(ACCOUNT)) is not None:
        chosen = (filled(answer) or {}).get(ACCOUNT)
        return chosen if chosen in choices else account_id
    options = [
        {"const": each, "title": ", ".join(filter(None, (row["name"], row["city"], row["country"])))}
        for each, row in choices.items()
    ]
    field = {"type": "string", "title": "Customer", "oneOf": options}
    message = f"There is no account '{account_id}'. Which customer is the quote for?"
    raise InputRequired({ACCOUNT: form(message, _only(ACCOUNT, field))})


def _only(name: str, field: Mapping[str, object]) -> dict[str, object]:
    return {"type": "object", "properties": {name: field}, "required": [name]}
