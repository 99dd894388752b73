"""Conversations, kept in SQLite or Redis."""
