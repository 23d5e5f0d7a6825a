"""Slow, obvious reference implementations that the compiled engines are compared with."""
