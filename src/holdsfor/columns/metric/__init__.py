"""DatalogMTL on interval tables over rational time."""
