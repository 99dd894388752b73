"""The ledger of tool calls: what was asked, what ran, and what is known of it."""
