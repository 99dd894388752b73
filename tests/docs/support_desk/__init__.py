"""A small app that answers mails of customers, as docs/embedding.md builds it."""
