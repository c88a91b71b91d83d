"""The kernels compile for every architecture that NVRTC supports, without a device; and the package without CUDA."""

from __future__ import annotations

import subprocess
import sys

import pytest

from clustermark.devices import machine
from clustermark.devices.counting import _HEAD, _ROOM
from clustermark.errors import InputError


@pytest.mark.slow
@pytest.mark.parametrize("architecture", ["75", "80", "86", "89", "90", "100", "120"])
def test_kernels_compile_for_an_architecture(architecture: str) -> None:
    code = machine.compile_kernels(architecture, ("long long", "unsigned char"), keep=False).code
    assert b"count_hashed" in code


@pytest.mark.slow
def test_a_kernel_that_is_no_code_does_not_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "read_kernels", lambda: "not C++")
    with pytest.raises(Exception, match="NVRTC"):
        machine.compile_kernels("90", ("int", "int"), keep=False)


def test_the_head_fits_in_front_of_the_counters() -> None:
    assert _HEAD.itemsize <= _ROOM
    fields = machine.read_kernels().split("struct Head {")[1].split("};")[0]
    names = [name.strip().split("[")[0] for line in fields.split(";") for name in line.split("u64")[-1].split(",")]
    assert tuple(name for name in names if name.isidentifier()) == _HEAD.names


def test_without_cuda_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cuda", None)
    with pytest.raises(InputError, match=r"pip install 'clustermark\[gpu\]'"):
        machine.CudaMachine(0)


def test_scores_on_the_cpu_import_nothing_of_cuda() -> None:
    code = (
        "import sys, clustermark; clustermark.jaccard([0, 1], [0, 1]); print([n for n in sys.modules if 'cuda' in n])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
