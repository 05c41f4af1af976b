"""The sweep method: what depends on itself, and delayed effects."""
