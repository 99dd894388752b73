"""From a tool call to its result: once, within its deadline, with a record of each step."""
