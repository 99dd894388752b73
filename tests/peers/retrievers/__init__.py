"""One file a peer: keyword retrieval over passages in memory, as its users would set it up."""
