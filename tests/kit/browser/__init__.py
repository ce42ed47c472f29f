"""A real browser for the tests: Chromium from npm, the built page, what may go wrong in it, and its memory."""
