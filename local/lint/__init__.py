"""What runs beside Checkov, in its venv."""
