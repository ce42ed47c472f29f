"""What fills a seat."""
