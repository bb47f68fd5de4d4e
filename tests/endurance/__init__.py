"""Weeks of harvests against made-up sources that fail, checked against what was announced."""
