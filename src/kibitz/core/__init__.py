"""What a game, a view, an agent and a record are; compilation; randomness; errors."""
