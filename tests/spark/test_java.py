"""A missing Java is found before Spark is started."""

from pathlib import Path

import pytest

from holdsfor.spark.java import JavaMissing, require_java


def fake_java(folder: Path, version: str) -> Path:
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    java.chmod(0o755)
    return java


def test_no_java_is_answered_with_one_line_that_installs_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(JavaMissing) as caught:
        require_java()
    assert "none was found" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_install_line_fits_the_system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    (tmp_path / "apt-get").write_text("#!/bin/sh\n")
    (tmp_path / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    with pytest.raises(JavaMissing, match="sudo apt-get install -y openjdk-17-jre-headless"):
        require_java()


@pytest.mark.parametrize(("version", "shown"), [("11.0.2", "Java 11"), ("1.8.0_392", "Java 8")])
def test_an_old_java_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str, shown: str) -> None:
    fake_java(tmp_path, version)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JavaMissing, match=shown):
        require_java()


@pytest.mark.parametrize("version", ["17.0.15", "21", "25-ea"])
def test_a_good_java_is_returned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str) -> None:
    java = fake_java(tmp_path, version)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert require_java() == java


def test_a_java_home_without_java_is_no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JavaMissing, match="none was found"):
        require_java()
