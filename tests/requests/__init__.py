"""Customers' mails of real shape, played against a chat model: what a draft from each costs and holds."""
