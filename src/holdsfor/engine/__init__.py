"""The columnar engine: plans over whole columns, set at a time."""
