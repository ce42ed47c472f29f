"""What a campaign's folder says, as facts, and which of them the party may be told now."""
