"""A real browser for the tests: Chromium from npm, the built page, its possible faults, and its memory."""
