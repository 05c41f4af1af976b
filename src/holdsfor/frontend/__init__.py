"""Front ends translate rule text or Python calls to the program IR."""
