"""Front ends: rule text or Python calls in, the program IR out."""
