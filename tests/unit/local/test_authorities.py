"""RDS's certificate authorities, as a bundle of AWS's brings them and as the functions' layer keeps them."""

from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding

from local.authorities import KEPT, roots
from local.files import ROOT
from local.lambda_api.intrinsics import read_template

NOW = datetime(2026, 11, 28, tzinfo=UTC)


def certificate(name: str, *, issuer: str = "", years: int = 40, forged: bool = False) -> bytes:
    """Signed by its own key, or by another that only says that it is the same."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject, signer = (
        x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, each)]) for each in (name, issuer or name)
    )
    made = (
        x509.CertificateBuilder(signer, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(NOW - timedelta(days=1))
        .not_valid_after(NOW + timedelta(days=365 * years))
        .sign(ec.generate_private_key(ec.SECP256R1()) if forged else key, SHA256())
    )
    return made.public_bytes(Encoding.PEM)


def test_only_roots_that_stay_valid_are_taken_by_region() -> None:
    bundle = b"".join(
        [
            certificate("Amazon RDS mx-central-1 Root CA RSA2048 G1"),
            certificate("Amazon RDS mx-central-1 Root CA ECC384 G1"),
            certificate("Amazon RDS us-gov-west-1 Root CA RSA2048 G1"),
            certificate("Amazon RDS Beta us-east-1 Root CA RSA2048 G1"),
            certificate("Amazon RDS us-east-1 2019 CA", issuer="Amazon RDS Root 2019 CA"),
            certificate("Amazon RDS sa-east-1 Root CA RSA2048 G1", years=0),
            certificate("Somebody's us-east-1 Root CA RSA2048 G1"),
        ]
    )
    found = roots(bundle, until=NOW + timedelta(days=365))
    assert {region: len(each) for region, each in found.items()} == {"mx-central-1": 2, "us-gov-west-1": 1}


def test_a_root_that_another_key_signed_is_refused() -> None:
    with pytest.raises(InvalidSignature):
        roots(certificate("Amazon RDS mx-central-1 Root CA RSA2048 G1", forged=True), until=NOW)


def test_a_stack_is_refused_in_a_region_whose_authorities_the_layer_does_not_have() -> None:
    known = roots(KEPT.read_bytes(), until=NOW + timedelta(days=365))
    assert {len(each) for each in known.values()} == {3}
    (rule,) = read_template(ROOT / "template.yaml")["Rules"]["RegionsAuthoritiesAreKnown"]["Assertions"]
    assert rule["Assert"] == {"Fn::Contains": [list(known), {"Ref": "AWS::Region"}]}
