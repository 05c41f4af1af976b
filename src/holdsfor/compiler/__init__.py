"""The compiler turns program IR into a checked plan, independent of data."""
