"""Publishes the house templates through the real function."""

from local.invoke import invoke
from local.stack import Stack


def publish_templates(stack: Stack) -> None:
    invoke(stack, "publish_templates", {})
