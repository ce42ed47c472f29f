"""The endpoints under /v1, one module a subject."""
