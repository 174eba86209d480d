"""US dollars in us-east-1, each with the place of its source in SOURCES. None has a free tier in it."""

from collections.abc import Mapping
from dataclasses import dataclass

FOUND = "21 November 2026"

SOURCES = (
    "aws.amazon.com/lambda/pricing",
    "factualminds.com/blog/amazon-cloudwatch-pricing-metrics-logs-alarms-dashboards (13 June 2026)",
    "tokenprice.fyi/models/text-embedding-3-small (3 July 2026, citing OpenAI's page)",
    "cloudburn.io/blog/aws-nat-gateway-pricing (24 February 2026)",
    "infratally.com/articles/aws-rds-pricing-explained-2026.html",
    "public cost tables in several repositories, which differ from $0.153 to $0.168: check "
    "aws.amazon.com/rds/postgresql/pricing",
    "usage.ai/blogs/aws/reserved-instances/rds/pricing-calculator (June 2026)",
    "aws.amazon.com/rds/proxy/pricing, as quoted on 28 July 2026",
    "cloudburn.io/blog/aws-kms-pricing (14 March 2026)",
    "signoz.io/guides/cloudwatch-pricing (15 February 2026)",
    "awsnegotiations.com/blog/lambda-snapstart-cost-impact (May 2026)",
)


@dataclass(frozen=True, slots=True)
class Price:
    """``source`` counts from 1."""

    dollars: float
    unit: str
    source: int

    def __str__(self) -> str:
        shown = f"{self.dollars:.10f}".rstrip("0")
        return f"${shown if len(shown) > 4 else format(self.dollars, '.2f')} per {self.unit} [{self.source}]"


REQUESTS = Price(0.20, "M", 1)
COMPUTE = Price(0.0000166667, "GB-s", 1)
LOGS = Price(0.50, "GB", 2)
EMBEDDING = Price(0.02, "M tokens", 3)
NAT_DATA = Price(0.045, "GB", 4)
NAT_GATEWAY = Price(0.045, "hour", 4)
STORAGE = Price(0.115, "GB", 7)
DATABASE_PROXY = Price(0.015, "vCPU-hour", 8)
KMS_KEY = Price(1.00, "key", 9)
METRIC = Price(0.30, "metric", 10)
SNAPSHOT = Price(0.0000015046, "GB-second", 11)

INSTANCES: Mapping[str, Price] = {
    "db.t4g.micro": Price(0.016, "hour", 5),
    "db.t4g.medium": Price(0.065, "hour", 5),
    "db.m7g.large": Price(0.168, "hour", 6),
}
VCPUS: Mapping[str, int] = {"db.t4g.micro": 2, "db.t4g.medium": 2, "db.m7g.large": 2}
