"""A statement has the clauses of what is asked, and no others."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.sql import SQL

from quarry.attributes.model import Attribute, Attributes
from quarry.needs.grammar import read
from quarry.needs.model import Need
from quarry.products import PRODUCTS
from quarry.retrieval.clauses import MOST, Condition, of_filters
from quarry.retrieval.corpus import Corpus
from quarry.retrieval.statements import narrowed, statement
