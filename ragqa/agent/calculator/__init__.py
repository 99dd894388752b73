"""``calculate``: a tool that runs a small program in a sandbox."""
