"""Count what the model takes, by a LangChain callback."""

from langchain_core.callbacks import BaseCallbackHandler


class TokenCount(BaseCallbackHandler):
    def __init__(self):
        self.tokens = 0

    def on_llm_end(self, response, **kwargs):
        message = response.generations[0][0].message
        self.tokens += message.usage_metadata["total_tokens"]
