"""One file a peer: how its users would build an ask over the same documents."""
