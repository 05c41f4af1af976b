"""`python -m holdsfor` is `holdsfor`."""

from holdsfor.cli import main

main()
