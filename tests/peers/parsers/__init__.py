"""One file a peer: how its users would read a model's reply into a response model."""
