"""Who is asking."""

from dataclasses import dataclass

from proxy.settings import Settings


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller whose identity is established. `scopes` are the granted ones, never a wildcard."""

    tenant: str
    subject: str
    scopes: frozenset[str]


def local_principal(settings: Settings, *, scopes: frozenset[str]) -> Principal:
    """The operator of this machine: everything is granted."""
    return Principal(tenant=settings.default_tenant, subject="local", scopes=scopes)
