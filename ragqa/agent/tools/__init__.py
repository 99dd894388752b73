"""What a model may call: definitions, gates before a call, and the tools that come with ragqa."""
