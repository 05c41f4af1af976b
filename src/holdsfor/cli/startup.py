"""Keeps a run on files from importing modules of other packages that it does not need. Only for processes of the
command line.

Arrow imports pandas and dateutil with the first array it makes, describes each of its functions in `pyarrow.compute`,
and asks NumPy whether an array is masked. NumPy describes its functions, too. Typer could start a browser.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # Only for annotations: its imports take longer than everything here.
    from importlib.abc import Loader


def import_less() -> None:
    """Keeps Arrow from importing pandas and dateutil, and makes other modules load lazily, name by name."""
    sys.meta_path.insert(0, _Finder())
    # NumPy's linear algebra starts a thread for each core when it is loaded, and nothing here makes use of it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


class _Finder:
    def find_spec(self, fullname: str, path: Sequence[str] | None, _target: object = None) -> ModuleSpec | None:
        if fullname in ("pandas", "dateutil"):
            raise ModuleNotFoundError(fullname)
        found = PathFinder.find_spec(fullname, path) if fullname in _BY_NAME else None
        if found is not None and found.loader is not None:
            found.loader = _ByName(found.loader, _BY_NAME[fullname])  # type: ignore[assignment]
        return found


class _ByName:
    """Loads a module whose names are created on use; a name that cannot be created loads the whole module."""

    def __init__(self, whole: Loader, make: Callable[[str], Any]) -> None:
        self._whole, self._make = whole, make

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        assert isinstance(module, _Module)
        made: dict[str, Any] = {}

        def find(name: str) -> Any:
            found = made[name] if name in made else made.setdefault(name, self._make(name))
            if found is not None:
                return found
            module.__class__ = ModuleType  # type: ignore[assignment]
            assert module.__spec__ is not None
            module.__loader__ = module.__spec__.loader = self._whole
            self._whole.exec_module(module)
            return getattr(module, name)

        module.find = find


class _Module(ModuleType):
    find: Callable[[str], Any]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.find(name)


def _later(_name: str) -> None:
    """Creates no name, so that the first use loads the module."""


def _hint(name: str) -> Any:
    """The types in annotations, which are never evaluated."""
    from numpy._core.multiarray import ndarray

    return ndarray if name == "NDArray" else None


def _masked(name: str) -> Any:
    """Functions on masked arrays; until the module is loaded, there are no such arrays."""
    if name == "MaskedArray":
        return type(name, (), {})
    return (lambda _: False) if name == "is_masked" else None


def _function(name: str) -> Callable[..., Any] | None:
    """A function of Arrow without its docstring; None for other names, and for functions with more than a call."""
    from pyarrow import _compute as arrow

    if name in _BY_HAND:
        return _BY_HAND[name]
    if name.endswith("Options"):
        return getattr(arrow, name, None)
    try:
        found = arrow.function_registry().get_function({"and_": "and", "or_": "or"}.get(name, name))
    except KeyError:
        return None
    if found.kind == "hash_aggregate" or found.arity == 0:
        return None
    options_class = getattr(arrow, found._doc.options_class) if found._doc.options_class else None  # noqa: SLF001 -- Arrow has no other name for it
    arity = None if found.arity is Ellipsis else found.arity

    def call(*args: Any, options: Any = None, memory_pool: Any = None, **named: Any) -> Any:
        places = () if arity is None else args[arity:]
        if options_class is not None and (places or named):
            options = options_class(*places, **named)
        return found.call(args[:arity], options, memory_pool)

    return call


def _call(name: str, args: list[Any], options: Any = None, memory_pool: Any = None) -> Any:
    from pyarrow import _compute as arrow

    return arrow.call_function(name, args, options, memory_pool)


def _cast(
    arr: Any, target_type: Any = None, safe: bool | None = None, options: Any = None, memory_pool: Any = None
) -> Any:
    import pyarrow as pa
    from pyarrow._compute import CastOptions

    if options is None:
        kind = pa.lib.ensure_type(target_type)
        options = CastOptions.unsafe(kind) if safe is False else CastOptions.safe(kind)
    return _call("cast", [arr], options, memory_pool)


def _take(data: Any, indices: Any, *, boundscheck: bool = True, memory_pool: Any = None) -> Any:
    from pyarrow._compute import TakeOptions

    return _call("take", [data, indices], TakeOptions(boundscheck=boundscheck), memory_pool)


def _fill_null(values: Any, fill_value: Any) -> Any:
    import pyarrow as pa

    if not isinstance(fill_value, pa.Array | pa.ChunkedArray | pa.Scalar):
        fill_value = pa.scalar(fill_value, type=values.type)
    elif values.type != fill_value.type:
        fill_value = pa.scalar(fill_value.as_py(), type=values.type)
    return _call("coalesce", [values, fill_value])


_BY_HAND: dict[str, Callable[..., Any]] = {
    "call_function": _call,
    "cast": _cast,
    "take": _take,
    "fill_null": _fill_null,
}
"""Functions that are written by hand in Arrow, too."""
_BY_NAME: dict[str, Callable[[str], Any]] = {
    "pyarrow.compute": _function,
    "numpy.ma": _masked,
    "numpy.typing": _hint,
    "numpy._typing": _hint,
    # Descriptions of NumPy's functions: with these modules they are added to those functions.
    "numpy._core._add_newdocs": _later,
    "numpy._core._add_newdocs_scalars": _later,
    "ctypes": _later,
    "ipaddress": _later,
    "pickle": _later,
    "shellingham": _later,
    "socket": _later,
    "subprocess": _later,
    "tokenize": _later,
}
