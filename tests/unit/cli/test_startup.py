"""What a run on a small file imports: most of the time it takes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FOREIGN = set(
    "concurrent.futures ctypes dateutil importlib.abc ipaddress numba numpy._core._add_newdocs numpy._typing numpy.ma.core "
    "numpy.typing pandas pickle pyarrow.vendored.docscrape pydantic random rich shellingham socket subprocess tempfile "
    "tokenize".split()
)
OURS = set(
    "engine.cyclic engine.metric frontend.dmtl incremental io.format_detection reference session spark viz".split()
)
LOGIN = "examples/login_attacks"


def run(script: str) -> str:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT).stdout


@pytest.mark.parametrize(
    ("words", "most", "needless"),
    [
        ("examples/voting/rules.prolog --events examples/voting/events.csv", 212, {"tomllib", "holdsfor.io.mapping"}),
        (f"{LOGIN}/rules.prolog --events {LOGIN}/events.csv --mapping {LOGIN}/mapping.toml", 224, set()),
    ],
)
def test_what_a_small_run_imports(words: str, most: int, needless: set[str]) -> None:
    """`most` modules of the package itself: each takes a quarter of a millisecond."""
    found = run(
        "import json, os, sys, holdsfor.cli\n"
        "out = os.dup(1); os.dup2(2, 1)\n"
        f"sys.argv = ['holdsfor', 'run', *{words.split()!r}]\n"
        "try:\n    holdsfor.cli.main()\n"
        "finally:\n"
        "    whole = [name for name, module in sys.modules.items() if type(module).__name__ != '_Module']\n"
        "    os.write(out, json.dumps(whole).encode())\n"
    )
    modules = set(json.loads(found))
    assert not (FOREIGN | needless) & modules
    assert not {f"holdsfor.{name}" for name in OURS} & modules
    assert len([name for name in modules if name.startswith("holdsfor.")]) <= most


def test_import_holdsfor_imports_neither_numpy_nor_the_compiler() -> None:
    modules = json.loads(run("import json, sys, holdsfor; print(json.dumps(list(sys.modules)))"))
    assert "pathlib" not in modules
    assert {name for name in modules if name.startswith(("holdsfor", "numpy", "pyarrow"))} == {"holdsfor"}


LESS = "from holdsfor.cli.startup import import_less; import_less(); import numpy as np, pyarrow as pa, sys\n"


def test_functions_of_arrow_are_made_one_by_one() -> None:
    found = run(
        LESS
        + """
import pyarrow.compute as pc
texts, numbers = pa.array(["b", None, "a,c"]), pa.array(np.array([3, 1, 2]))
print(pc.equal(texts, "b").to_pylist(), pc.fill_null(texts, fill_value="").to_pylist(), pc.sum(numbers).as_py())
print(pc.split_pattern(texts, ",").to_pylist(), pc.split_pattern(texts, pattern=",").to_pylist())
print(pc.binary_join_element_wise(texts, "x", "-", null_handling="skip").to_pylist())
print(pc.and_(True, False).as_py(), pc.cast(numbers, "float64").type, numbers.cast(pa.int8(), safe=False).type)
print(texts.take(pa.array([2, 0])).to_pylist(), texts.filter(texts.is_valid()).to_pylist(), pc.min_max(numbers).as_py())
print(texts.dictionary_encode().indices.to_pylist(), np.unique(numbers).tolist(), "pyarrow.vendored" in sys.modules)
try:
    pc.cast(pa.array(["x"]), pa.int64())
except pa.ArrowInvalid:
    print("ArrowInvalid")
print(pa.table({"t": texts}).filter(pc.field("t") == "b").num_rows, "pyarrow.vendored" in sys.modules)
print(pc.equal(texts, "b").to_pylist(), pc.equal.__doc__.splitlines()[0])
"""
    )
    assert found.splitlines() == [
        "[True, None, False] ['b', '', 'a,c'] 6",
        "[['b'], None, ['a', 'c']] [['b'], None, ['a', 'c']]",
        "['b-x', 'x', 'a,c-x']",
        "False double int8",
        "['a,c', 'b'] ['b', 'a,c'] {'min': 1, 'max': 3}",
        "[0, None, 1] [1, 2, 3] False",
        "ArrowInvalid",
        "1 True",
        "[True, None, False] Compare values for equality (x == y).",
    ]


def test_masked_arrays_are_there_for_who_makes_one() -> None:
    found = run(
        LESS
        + """
print(pa.array(np.array([1, 2])).to_pylist(), "numpy.ma.core" in sys.modules)
masked = np.ma.array([1, 2], mask=[False, True])
print(pa.array(masked).to_pylist(), isinstance(masked, np.ma.MaskedArray), np.ma.is_masked(masked))
"""
    )
    assert found.splitlines() == ["[1, 2] False", "[1, None] True True"]


def test_other_modules_are_there_for_who_uses_them() -> None:
    found = run(
        LESS
        + """
import ctypes, pickle, socket, subprocess, tokenize, numpy.typing as npt
print(type(pickle).__name__, pickle.loads(pickle.dumps([1])), type(pickle).__name__)
print(np.array([1]).ctypes.data > 0, ctypes.c_int(3).value, socket.AF_INET.name, subprocess.DEVNULL)
print(npt.NDArray[np.int64].__origin__ is np.ndarray, type(npt).__name__, npt.ArrayLike is not None, type(npt).__name__)
"""
    )
    assert found.splitlines() == ["_Module [1] module", "True 3 AF_INET -3", "True _Module True module"]


def test_a_run_looks_for_no_garbage_at_its_end() -> None:
    words = ["run", "examples/voting/rules.prolog", "--events", "examples/voting/events.csv", "--quiet"]
    found = run(
        "import atexit, gc, sys, holdsfor.cli\n"
        "atexit.register(lambda: print(gc.get_freeze_count() > 0))\n"
        f"sys.argv = ['holdsfor', *{words!r}]\n"
        "holdsfor.cli.main()\n"
    )
    assert found.splitlines()[-1] == "True"


def test_every_data_class_says_what_it_is() -> None:
    """Who has no docstring gets a signature for one, which takes as long as ten data classes."""
    found = run(
        "import sys, holdsfor.recognition, holdsfor.loading\n"
        "kinds = [one for name in list(sys.modules) if name.startswith('holdsfor') "
        "for one in vars(sys.modules[name]).values() if isinstance(one, type) and hasattr(one, '__dataclass_fields__')]\n"
        "print(len(kinds) > 100, {one for one in kinds if one.__doc__.startswith(one.__name__ + '(')})\n"
    )
    assert found.splitlines() == ["True set()"]
