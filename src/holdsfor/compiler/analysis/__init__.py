"""Analyses of the parts of a program, their dependencies, and the bindings of variables."""
