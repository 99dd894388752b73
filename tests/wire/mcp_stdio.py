"""A small MCP server on standard input and output, as a process of its own."""

from __future__ import annotations

from mcp.server.fastmcp import FastMCP

server = FastMCP("shelf")


@server.tool(name="get-pieces")
def get_pieces(item: str) -> str:
    """Tell how many pieces of an item are on the shelf; use it for questions on stock."""
    if item == "broken":
        raise ValueError("the shelf is broken")
    return f"{item}: 12 pieces"


if __name__ == "__main__":
    server.run("stdio")
