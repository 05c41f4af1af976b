"""Rewrites of the program, one to a file."""
