"""Passes over the program, one per file."""
