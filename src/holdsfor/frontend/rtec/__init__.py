"""The RTEC front end translates rules in Prolog syntax to the program IR and back."""

from holdsfor.frontend.rtec.formatter import format_source
from holdsfor.frontend.rtec.reader import parse_program
from holdsfor.frontend.rtec.unparse import print_program, print_rule

__all__ = ["format_source", "parse_program", "print_program", "print_rule"]
