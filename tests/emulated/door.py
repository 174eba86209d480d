"""RDS's door before the Postgres of the run: a login by token is judged as RDS judges it, with MiniStack's IAM.

Runs in MiniStack's process. An owner's password goes on to Postgres, which judges that itself.
"""

import socket
import struct
import threading
from contextlib import suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer

from ministack.core import iam_evaluator
from ministack.core.iam_evaluator import AuthError, EvalContext, resolve_principal
from ministack.core.rds_iam import RdsIamTokenError, verify_rds_iam_token
from ministack.core.responses import get_account_id, get_region, request_scope
from ministack.services import rds

HOST = "127.0.0.1"
PROTOCOL_3 = 196_608
ENCRYPTION = (80_877_103, 80_877_104)
"""A request for TLS or GSS, which is answered with N: neither is here."""
BY_PASSWORD = ("quarry_owner", "postgres")
"""Everybody else is in rds_iam."""
ASK_PASSWORD = b"R" + struct.pack("!ii", 8, 3)


class Door(ThreadingTCPServer):
    """Listens on ``port`` for the Postgres at ``upstream``."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 256

    def __init__(self, port: int, *, upstream: int) -> None:
        super().__init__((HOST, port), _Login)
        self.port, self.upstream = port, upstream
        threading.Thread(target=self.serve_forever, daemon=True).start()


class _Login(BaseRequestHandler):
    server: Door

    def handle(self) -> None:
        code, startup = self._startup()
        user = _parameters(startup)["user"] if code == PROTOCOL_3 else "postgres"  # who cancels names none
        if user not in BY_PASSWORD:
            self.request.sendall(ASK_PASSWORD)
            if reason := refusal(self._password(), user=user, port=self.server.port):
                print(f"{user} is refused: {reason}", flush=True)
                self.request.sendall(_error(f'PAM authentication failed for user "{user}": {reason}'))
                return
        with socket.create_connection((HOST, self.server.upstream)) as database:
            database.sendall(startup)
            threading.Thread(target=_pass_on, args=(database, self.request), daemon=True).start()
            _pass_on(self.request, database)

    def _startup(self) -> tuple[int, bytes]:
        while True:
            head = _exactly(self.request, 8)
            length, code = struct.unpack("!ii", head)
            if code not in ENCRYPTION:
                return code, head + _exactly(self.request, length - 8)
            self.request.sendall(b"N")

    def _password(self) -> str:
        _, length = struct.unpack("!ci", _exactly(self.request, 5))
        return _exactly(self.request, length - 4).rstrip(b"\0").decode()


def refusal(token: str, *, user: str, port: int) -> str:
    """Why the token opens nothing, or nothing. The one instance of the account stands for the Postgres of the run."""
    account, region = get_account_id(), get_region()
    verified = verify_rds_iam_token(token, hostname=HOST, port=port, db_user=user, region=region, account_id=account)
    if isinstance(verified, RdsIamTokenError):
        return str(verified.code)
    with request_scope(account, region):
        instance = max(rds._instances.values(), key=lambda each: str(each["InstanceCreateTime"]))
        principal = resolve_principal(verified.access_key_id, account)
        if isinstance(principal, AuthError):
            return str(principal.code)
        asked = EvalContext(
            principal_arn=principal.arn,
            principal_type=principal.type,
            principal_account=account,
            action="rds-db:connect",
            resource_arn=f"arn:aws:rds-db:{region}:{account}:dbuser:{instance['DbiResourceId']}/{user}",
            region=region,
            principal_keys=principal.keys,
        )
        # By the module's name: the recorder puts one that writes down in its place.
        decision = str(iam_evaluator.evaluate(asked, principal.policies or [], *principal.limits).decision)
    return "" if decision == "Allow" else decision


def _parameters(startup: bytes) -> dict[str, str]:
    words = [word.decode() for word in startup[8:].split(b"\0")]
    return dict(zip(words[::2], words[1::2], strict=False))


def _error(text: str) -> bytes:
    fields = b"".join(f"{kind}{value}\0".encode() for kind, value in (("S", "FATAL"), ("C", "28000"), ("M", text)))
    return b"E" + struct.pack("!i", len(fields) + 5) + fields + b"\0"


def _exactly(connection: socket.socket, count: int) -> bytes:
    received = b""
    while len(received) < count:
        part = connection.recv(count - len(received))
        if not part:
            raise ConnectionError("the client went away")
        received += part
    return received


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    """Until one of both is closed, which closes the other."""
    with suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
    for each in (source, target):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
