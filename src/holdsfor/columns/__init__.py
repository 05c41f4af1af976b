"""Engine input and output as columns: tables, the dictionary of constants, query times, reports."""
