"""Catalogue, prices, exchange rates, customers and policies from CSV or JSON Lines; no tool writes any of them."""

from cpq.ingestion.catalogue import PRICE_BOOKS, PRICES, PRODUCT_RELATIONSHIPS, PRODUCTS_FOR_SALE, TAX_RULES
from cpq.ingestion.customers import ACCOUNTS, DISCOUNTS, HOUSE
from cpq.ingestion.policies import APPROVERS, DISCOUNT_POLICIES, EXCHANGE_RATES

KINDS = (
    HOUSE,
    DISCOUNT_POLICIES,
    APPROVERS,
    EXCHANGE_RATES,
    PRODUCTS_FOR_SALE,
    PRODUCT_RELATIONSHIPS,
    ACCOUNTS,
    DISCOUNTS,
    PRICE_BOOKS,
    PRICES,
    TAX_RULES,
)
"""The kinds in an order in which none refers to a later one."""
