"""holdsfor: rules and time-stamped events in, the intervals during which situations hold out."""

__version__ = "0.1.0"
