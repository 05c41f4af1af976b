"""The commands `demo` and `maritime`. `holdsfor` finds them as entry points of the group `holdsfor.commands`."""
