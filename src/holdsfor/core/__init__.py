"""The compiled core and its Python side."""
