"""What the service must answer: golden cases and tenancy probes as data, asked by a real client and judged."""
