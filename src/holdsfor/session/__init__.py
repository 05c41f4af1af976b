"""Live sessions: input comes in, comes late and is taken back, and every question costs what has changed."""

from holdsfor.session.changes import Change, Changes
from holdsfor.session.inputs import Cause
from holdsfor.session.live import Session

__all__ = ["Cause", "Change", "Changes", "Session"]
