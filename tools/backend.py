"""The build backend: scikit-build-core, with an editable installation that is nothing but a path.

The editable mode of scikit-build-core installs an import hook that always finds the same checkout. Here the compiled module
lies beside its sources, so each checkout on `sys.path` has its own.
"""

from __future__ import annotations

import base64
import hashlib
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import core_build
from scikit_build_core import build as backend
from scikit_build_core.build import (  # noqa: F401  (hooks)
    build_sdist,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

Settings = dict[str, Any] | None


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """CMake and Ninja, where the machine has none."""
    _check_compiler()
    return backend.get_requires_for_build_wheel(config_settings)


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """CMake and Ninja, where the machine has none."""
    _check_compiler()
    return backend.get_requires_for_build_editable(config_settings)


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    """A wheel with the compiled core."""
    _check_compiler()
    return backend.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Build the core in place, and make a wheel that holds a path to the sources."""
    del metadata_directory  # it is made again: the same
    try:
        core_build.build()
    except core_build.CannotBuild as problem:
        sys.exit(str(problem))
    with tempfile.TemporaryDirectory() as folder:
        info = Path(folder) / prepare_metadata_for_build_editable(folder, config_settings)
        files = {f"{info.name}/{path.relative_to(info).as_posix()}": path.read_bytes() for path in _files(info)}
    files["_holdsfor_checkout.pth"] = f"{core_build.ROOT / 'src'}\n".encode()
    tag = next(line.split()[1] for line in files[f"{info.name}/WHEEL"].decode().splitlines() if line.startswith("Tag:"))
    name = f"{info.name.removesuffix('.dist-info')}-{tag}.whl"
    record = "".join(f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in files.items())
    files[f"{info.name}/RECORD"] = f"{record}{info.name}/RECORD,,\n".encode()
    with zipfile.ZipFile(Path(wheel_directory) / name, "w") as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)
    return name


def _check_compiler() -> None:
    try:
        core_build.check_compiler()
    except core_build.CannotBuild as problem:
        sys.exit(str(problem))


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "RECORD")


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
