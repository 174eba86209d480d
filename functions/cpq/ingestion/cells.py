"""Columns that several kinds have, and cells that hold a structure."""

import json
from typing import Annotated, Any

from pydantic import BeforeValidator, Field


def _structure(value: Any) -> Any:
    """A CSV cell holds a list or an object as JSON. Raises ValueError when it is not JSON."""
    return json.loads(value) if isinstance(value, str) else value


def _listed(value: Any) -> Any:
    """A CSV cell holds a list of words as a;b;c."""
    return [word.strip() for word in value.split(";") if word.strip()] if isinstance(value, str) else value


Structure = BeforeValidator(_structure)
Listed = BeforeValidator(_listed)

Name = Annotated[str, Field(min_length=1, max_length=300)]
Country = Annotated[str, Field(pattern=r"^[A-Z]{2}$")]
Email = Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+$", max_length=300)]
ProductId = Annotated[str, Field(pattern=r"^prod_[a-z0-9_]{1,90}$")]
ProductReference = Annotated[str, Field(min_length=1, max_length=100)]
"""A product's id or its SKU."""

AccountId = Annotated[str, Field(pattern=r"^acct_[a-z0-9_]{1,90}$")]
PriceBookId = Annotated[str, Field(pattern=r"^pb_[a-z0-9_]{1,90}$")]
PolicyId = Annotated[str, Field(pattern=r"^pol_[a-z0-9_]{1,90}$")]
ApproverId = Annotated[str, Field(pattern=r"^apr_[a-z0-9_]{1,90}$")]
TaxRuleId = Annotated[str, Field(pattern=r"^tax_[a-z0-9_]{1,90}$")]
