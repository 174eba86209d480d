"""The approval page's function URL on this machine, and the end of the SNS topic that carries its links."""
