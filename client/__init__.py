"""The client: a far table reached by a link, over HTTP."""
