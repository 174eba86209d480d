"""Catalogue, prices, customers and policies from CSV or JSON Lines; no tool writes any of them."""

from cpq.ingestion.accounts import ACCOUNTS
from cpq.ingestion.catalogue import PRODUCT_RELATIONSHIPS, PRODUCTS_FOR_SALE
from cpq.ingestion.policies import APPROVERS, DISCOUNT_POLICIES
from cpq.ingestion.prices import PRICE_BOOKS, PRICES, TAX_RULES

KINDS = (
    DISCOUNT_POLICIES,
    APPROVERS,
    PRODUCTS_FOR_SALE,
    PRODUCT_RELATIONSHIPS,
    ACCOUNTS,
    PRICE_BOOKS,
    PRICES,
    TAX_RULES,
)
"""In an order in which nothing refers to what comes later."""
