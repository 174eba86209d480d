"""`make authorities`: takes RDS's certificate authorities from AWS and puts them where functions look for them.

A database in a region whose authorities are not among them would be refused; template.yaml says so beforehand.
"""

import re
import sys
from collections import defaultdict
from datetime import UTC, datetime, timedelta

import httpx2
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from local.files import ROOT

BUNDLES = (
    "https://truststore.pki.rds.amazonaws.com/global/global-bundle.pem",
    "https://truststore.pki.us-gov-west-1.rds.amazonaws.com/global/global-bundle.pem",
    "https://rds-truststore.s3.cn-north-1.amazonaws.com.cn/global/global-bundle.pem",
)
"""Of the regions of everybody, of GovCloud and of China."""

KEPT = ROOT / "layers/quarry/quarry/data/rds_authorities.pem"
_ROOT_OF = re.compile(r"Amazon RDS ([a-z]{2}(?:-[a-z]+)+-\d) Root CA \w+ G\d")


def roots(bundle: bytes, *, until: datetime) -> dict[str, list[str]]:
    """By region, the authorities that sign themselves and are valid ``until`` then, as PEM, sorted by name."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for certificate in x509.load_pem_x509_certificates(bundle):
        (name,) = certificate.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)
        region = _ROOT_OF.fullmatch(str(name.value))
        if region and certificate.issuer == certificate.subject and certificate.not_valid_after_utc > until:
            certificate.verify_directly_issued_by(certificate)
            says = f"# {name.value!s}, until {certificate.not_valid_after_utc:%Y-%m-%d}\n"
            found[region[1]][str(name.value)] = says + certificate.public_bytes(Encoding.PEM).decode()
    return {region: [by_name[name] for name in sorted(by_name)] for region, by_name in sorted(found.items())}


def main() -> int:
    bundles = [httpx2.get(url, timeout=60).raise_for_status().content for url in BUNDLES]
    found = roots(b"\n".join(bundles), until=datetime.now(UTC) + timedelta(days=365))
    KEPT.write_text("".join(pem for of_region in found.values() for pem in of_region), "utf-8")
    print(f"The rule RegionsAuthoritiesAreKnown of template.yaml has to name these: {', '.join(found)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
