"""sslmode=verify-full: a database proves by its certificate that it is RDS's, or nobody logs in."""

import datetime
import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from quarry.data import database
from quarry.data.settings import Settings

GREETING = b"SFATAL\0C28000\0Mlet in\0\0"
"""What the server says to whoever trusted it: Postgres' own form of a refusal."""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Key and certificate of `localhost`, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("certificate") / "localhost.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + signed.public_bytes(serialization.Encoding.PEM))
    return path


@contextmanager
def postgres_with(certificate: Path) -> Iterator[int]:
    """The port of a server that speaks Postgres as far as TLS, for one connection."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def serve(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(8)  # SSLRequest
            connection.sendall(b"S")
            try:
                with context.wrap_socket(connection, server_side=True) as secured:
                    secured.recv(1024)
                    secured.sendall(b"E" + struct.pack("!i", len(GREETING) + 4) + GREETING)
            except OSError:
                return  # the client did not trust it

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,), daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(60)


def refusal(port: int, *, host: str = "localhost") -> str:
    configuration = Settings(db_host=host, db_port=port, db_sslmode="verify-full")
    with pytest.raises(psycopg.OperationalError) as caught:
        psycopg.connect(**database.address(configuration), connect_timeout=60, hostaddr="127.0.0.1")
    return str(caught.value)


def test_a_certificate_of_another_authority_is_refused(certificate: Path) -> None:
    with postgres_with(certificate) as port:
        assert "certificate verify failed" in refusal(port)


def test_a_certificate_of_a_known_authority_lets_in_under_its_own_name_alone(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "RDS_AUTHORITIES", certificate)
    with postgres_with(certificate) as port:
        assert "let in" in refusal(port)
    with postgres_with(certificate) as port:
        assert 'server certificate for "localhost" does not match host name "elsewhere"' in refusal(
            port, host="elsewhere"
        )


def test_the_authorities_are_rdss_own_and_good_for_years() -> None:
    authorities = x509.load_pem_x509_certificates(database.RDS_AUTHORITIES.read_bytes())
    names = [each.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value for each in authorities]
    assert all(str(name).startswith("Amazon RDS ") for name in names)
    assert {f"Amazon RDS {region} Root CA RSA2048 G1" for region in ("us-east-1", "eu-central-1")} <= set(names)
    soonest = min(each.not_valid_after_utc for each in authorities)
    assert soonest > datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=365)
