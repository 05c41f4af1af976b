"""Files that rule text loads: `:- ['other.prolog'].`, `consult`, `include`, `ensure_loaded` and their like.

The clauses of a loaded file take the place of the directive. A file is looked for from the folder of the file that
names it, and is loaded once however often it is named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from holdsfor.diagnostics import Diagnostic, HoldsforError, Severity, Source, Span
from holdsfor.syntax.parser import Parsed, parse
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Clause, Compound, Const, ListTerm, Term, conjuncts, functor

ReadFile = Callable[[Path], Source]
"""Reads a rule file; raises HoldsforError if it cannot."""

LOADING = frozenset(
    {
        ("consult", 1),
        ("ensure_loaded", 1),
        ("include", 1),
        ("load_files", 1),
        ("load_files", 2),
        ("reconsult", 1),
        ("use_module", 1),
        ("use_module", 2),
    }
)
"""Directives whose first argument is a file or a list of files."""

_WORDS = "|".join(sorted({name for name, _ in LOADING}))
_MAY_LOAD = re.compile(rf":-(?:\s|%[^\n]*\n|/\*.*?\*/)*\[|\b(?:{_WORDS})\b", re.DOTALL)
_ENDINGS = ("", ".prolog", ".pl")
"""File name endings that may be omitted."""


def loads_files(goal: Term) -> bool:
    """Whether a directive's goal loads files.

    >>> loads_files(Compound("consult", (Const("a.prolog"),))), loads_files(Compound("dynamic", (Const("a"),)))
    (True, False)
    """
    return (isinstance(goal, ListTerm) and bool(goal.items)) or functor(goal) in LOADING


def with_loaded_files(parsed: Iterable[Parsed], read: ReadFile) -> list[Parsed]:
    """The parsed texts with the files that they load. A missing file is a finding of the text that names it."""
    listed = list(parsed)
    loading = _Loading(read, {_key(one.source) for one in listed})
    return [one for each in listed for one in loading.parts_of(each)]


def may_load_files(text: str) -> bool:
    """Whether a text may load files: a quick test that avoids parsing most texts.

    >>> may_load_files(":- ['areas.prolog']."), may_load_files("area(bay).")
    (True, False)
    """
    return _MAY_LOAD.search(text) is not None


def named_files(parsed: Parsed) -> Iterator[tuple[Span, Path]]:
    """The spans in a text that name files to load, with the existing files."""
    for clause in parsed.clauses:
        for goal in conjuncts(clause.body) if clause.head is None else ():
            for term in _files_named(goal) if loads_files(goal) else ():
                name = _file_name(term)
                path = None if name is None else _existing(Path(parsed.source.name).parent / name)
                if path is not None and path.is_file():
                    yield term.span, path


@dataclass
class _Loading:
    """Tracks the files that have been loaded, and those being loaded."""

    read: ReadFile
    loaded: set[Path]
    open: list[Path] = field(default_factory=list)

    def parts_of(self, parsed: Parsed) -> Iterator[Parsed]:
        """The parts of a text: its clauses up to a loading directive, the loaded clauses, then its further clauses."""
        self.open.append(_key(parsed.source))
        own: list[Clause] = []
        findings = list(parsed.diagnostics)
        for clause in parsed.clauses:
            goals = conjuncts(clause.body) if clause.head is None else ()
            if not any(map(loads_files, goals)):
                own.append(clause)
                continue
            yield replace(parsed, clauses=tuple(own), diagnostics=())
            own = [Clause(None, goal, clause.span) for goal in goals if not loads_files(goal)]
            for goal in filter(loads_files, goals):
                for term in _files_named(goal):
                    yield from self._file(term, clause, parsed.source, findings)
        self.open.pop()
        yield replace(parsed, clauses=tuple(own), diagnostics=tuple(findings))

    def _file(self, term: Term, clause: Clause, source: Source, findings: list[Diagnostic]) -> Iterator[Parsed]:
        span = getattr(term, "span", clause.span)
        name = _file_name(term)
        if name is None:
            message = f"{print_term(term)} is not the name of a file"
            hint = "write the name in quotes, such as 'facts/areas.prolog'"
            findings.append(Diagnostic("HF006", Severity.ERROR, message, span, hint))
            return
        if name.endswith(".dmtl"):
            hint = f"give {name} to the command or to load() beside this file"
            findings.append(Diagnostic("HF006", Severity.ERROR, "metric rules cannot be loaded here", span, hint))
            return
        path = _existing(Path(source.name).parent / name)
        key = path.resolve()
        if key in self.open:
            message = f"{name} is being loaded already" if key != self.open[-1] else "a file that loads itself"
            hint = "remove this line: each file is loaded once, so nothing is missing"
            findings.append(Diagnostic("HF007", Severity.WARNING, message, span, hint))
            return
        if key in self.loaded:
            return
        try:
            found = self.read(path)
        except HoldsforError as problem:
            hint = "paths are relative to the folder of the file with the directive"
            findings.append(Diagnostic("HF006", Severity.ERROR, str(problem), span, hint))
            return
        self.loaded.add(key)
        yield from self.parts_of(parse(found))


def _key(source: Source) -> Path:
    return Path(source.name).resolve()


def _files_named(goal: Term) -> Iterator[Term]:
    """The files in a loading goal, one by one; Prolog's own libraries are ignored."""
    if isinstance(goal, ListTerm):
        for item in goal.items:
            yield from _files_named(item)
    elif isinstance(goal, Compound) and functor(goal) in LOADING:
        yield from _files_named(goal.args[0])
    elif functor(goal) != ("library", 1):
        yield goal


def _file_name(term: Term) -> str | None:
    """The name of a file: text, or names separated by slashes."""
    if isinstance(term, Const):
        return str(term.value)
    if isinstance(term, Compound) and term.name == "/" and len(term.args) == 2:
        folder, name = map(_file_name, term.args)
        return f"{folder}/{name}" if folder is not None and name is not None else None
    return None


def _existing(path: Path) -> Path:
    """The file with its omitted ending, if it exists."""
    candidates = (Path(f"{path}{ending}") for ending in _ENDINGS)
    return next((one for one in candidates if one.is_file()), path)
