"""Conversations: what is kept of them, embedded in SQLite or shared through Redis."""
