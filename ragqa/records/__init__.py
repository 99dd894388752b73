"""A record of every ask: kept, shown, counted, replayed."""
