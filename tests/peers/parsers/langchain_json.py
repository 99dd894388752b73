"""langchain-core's PydanticOutputParser."""

from langchain_core.output_parsers import PydanticOutputParser

from tests.peers.reading import Answer, read

if __name__ == "__main__":
    read(PydanticOutputParser(pydantic_object=Answer).parse)
