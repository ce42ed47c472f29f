"""What an agent needs to ask a language model: the endpoint, its answers, their price, and a voice for each seat."""
