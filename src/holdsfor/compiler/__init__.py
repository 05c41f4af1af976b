"""The compiler: program IR in, checked plan out. It knows nothing of data."""
