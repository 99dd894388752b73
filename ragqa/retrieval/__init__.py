"""Find passages: the embedded index, and adapters from and to LangChain.

Nothing is imported here, so that one way of retrieval does not load the packages of another.
"""
