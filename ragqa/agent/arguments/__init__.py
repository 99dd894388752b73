"""The arguments of tool calls: a schema in one normal form, and what is wrong by it."""
