"""Results of tools as text for the model, and the faults that they report."""
