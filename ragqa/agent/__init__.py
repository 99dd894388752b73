"""Tools, and evidence that the work was done: the ledger, the executor, the runs."""
