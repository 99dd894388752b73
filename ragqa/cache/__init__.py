"""Accepted answers, kept for the same question."""
