"""Chat models and embeddings behind the ports: OpenAI-compatible endpoints, and Azure OpenAI.

``ragqa.providers.openai.chat_model``, ``ragqa.providers.embeddings.embeddings`` and the two of
``ragqa.providers.azure`` are what the application calls; nothing here is loaded before a model is
configured.
"""
