"""The compiler: from program IR to a checked plan. It does not depend on data."""
