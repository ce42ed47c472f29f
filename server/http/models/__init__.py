"""What goes in and out, as the OpenAPI document tells it. What comes in is checked by these, and all else refused."""
