"""Chat models and embeddings behind the ports: OpenAI-compatible endpoints.

``ragqa.providers.openai.chat_model`` and ``ragqa.providers.embeddings.embeddings`` are what the
application calls; nothing here is loaded before a model is configured.
"""
