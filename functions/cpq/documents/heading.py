"""The facts of a quote beside the address, of this quote and of the one before."""

from datetime import UTC

from psycopg.rows import DictRow

from cpq.documents import wording
from cpq.documents.content import Heading


def heading(header: DictRow) -> Heading:
    return Heading(
        id=header["id"],
        version=header["version"],
        issued=header["priced_at"].astimezone(UTC).date(),
        valid_until=header["valid_until"],
        reference=header["deal_id"],
        term=wording.months(header["term_months"]),
        start_date=header["start_date"],
        end_date=header["end_date"],
        billing=wording.billing(header["billing_frequency"]),
        payment=wording.payment(header["payment_terms"]),
        currency=header["currency"],
    )
