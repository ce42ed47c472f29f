"""A seat for any MCP client: the tools, what they tell, and what they need of a seat; see docs/mcp.md."""
