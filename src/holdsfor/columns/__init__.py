"""What goes into the engine and comes out of it, as columns: tables, the dictionary of constants, query times, reports."""
