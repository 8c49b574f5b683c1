"""A memory of its own for each test."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

PROGRAM = os.environ.get("MEMDIR_BIN", "memdir")


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "memory"
    subprocess.run([PROGRAM, "init", str(path)], check=True, capture_output=True)
    return path
