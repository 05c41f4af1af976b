"""Analyses: what a program's parts are, what they depend on, what binds their variables."""
