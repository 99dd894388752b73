"""Documents in an index of Azure AI Search: found, put there, and described. Extra ``azure``."""
