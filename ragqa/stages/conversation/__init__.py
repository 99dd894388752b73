"""A conversation around a chain: what was said, what a follow-up means, what is kept."""
