"""The RTEC front end: Prolog-syntax event descriptions to and from the program IR."""

from holdsfor.frontend.rtec.formatter import format_source
from holdsfor.frontend.rtec.reader import parse_program
from holdsfor.frontend.rtec.unparse import print_program, print_rule

__all__ = ["format_source", "parse_program", "print_program", "print_rule"]
