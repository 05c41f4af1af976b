"""Tokens, terms, parser and printer of rule text."""
