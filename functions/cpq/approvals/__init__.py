"""Approvals: requests bound to a priced version, personal links, notices, and a person's decision."""
