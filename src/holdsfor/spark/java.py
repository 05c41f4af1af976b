"""Finds Java before Spark is started, and gives a one-line advice if there is none."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from holdsfor.diagnostics import HoldsforError

OLDEST = 17


class JavaMissing(HoldsforError):
    """Spark cannot start because Java is missing or too old."""


def require_java() -> Path:
    """The `java` that Spark will use; raises JavaMissing with the command that installs one."""
    java = _find()
    if java is None:
        raise JavaMissing(f"Spark needs Java {OLDEST} and none was found. Install it: {_install_line()}")
    version = _version(java)
    if version is None:
        raise JavaMissing(f"{java} does not run. Install Java {OLDEST}: {_install_line()}")
    if version < OLDEST:
        raise JavaMissing(f"Spark needs Java {OLDEST} and {java} is Java {version}. Install it: {_install_line()}")
    return java


def _find() -> Path | None:
    """The path of Java. Like Spark, this looks at JAVA_HOME first, then at the path."""
    home = os.environ.get("JAVA_HOME")
    if home:
        candidate = Path(home, "bin", "java")
        return candidate if candidate.exists() else None
    found = shutil.which("java")
    return Path(found) if found else None


def _version(java: Path) -> int | None:
    """The feature version: 17 of `17.0.15`, 8 of `1.8.0_392`."""
    try:
        answer = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)  # noqa: S603 -- the path is the java that Spark itself would run
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    return int(match.group(1)) if match else None


def _install_line() -> str:
    if sys.platform == "darwin":
        return "brew install openjdk@17"
    if sys.platform == "win32":
        return "winget install EclipseAdoptium.Temurin.17.JDK"
    for tool, line in (
        ("apt-get", "sudo apt-get install -y openjdk-17-jre-headless"),
        ("dnf", "sudo dnf install -y java-17-openjdk-headless"),
        ("apk", "sudo apk add openjdk17-jre-headless"),
        ("pacman", "sudo pacman -S --noconfirm jre17-openjdk-headless"),
    ):
        if shutil.which(tool):
            return line
    return "see https://adoptium.net for your system"
