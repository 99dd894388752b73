"""Accepted answers, kept for reuse."""
