"""Reading and writing streams."""
