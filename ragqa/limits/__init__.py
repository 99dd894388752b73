"""How much may be asked of a service, and for how much money."""
