"""Measure answers against questions with known answers."""
