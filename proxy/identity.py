"""Who is asking: the seam where authentication plugs in."""

from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import HTTPConnection

from proxy.settings import Settings


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller whose identity is established. `scopes` are the granted ones, never a wildcard."""

    tenant: str
    subject: str
    scopes: frozenset[str]


Authenticate = Callable[[HTTPConnection], Principal]


def local_principal(settings: Settings, *, scopes: frozenset[str]) -> Principal:
    """The operator of this machine: everything is granted."""
    return Principal(tenant=settings.default_tenant, subject="local", scopes=scopes)


def authenticator(settings: Settings, *, scopes: frozenset[str]) -> Authenticate:
    """The check for the configured mode. `none` grants all, and `Settings` binds it to loopback."""
    principal = local_principal(settings, scopes=scopes)

    def authenticate(_request: HTTPConnection) -> Principal:
        return principal

    return authenticate
