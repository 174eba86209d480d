"""What a deployed stack costs, worked out from template.yaml's sizes, what was measured, and published prices."""
