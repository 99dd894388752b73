"""A run of the agent: the loop, its messages, and what is kept so that it can go on."""
