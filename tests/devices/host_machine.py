"""A machine of the host: runs the kernels for CUDA, compiled by the C++ compiler, one thread of the system a thread."""

from __future__ import annotations

import ctypes
import re
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np

from clustermark.devices.machine import ArrayView, read_kernels

HERE = Path(__file__).parent


@cache
def library(types: tuple[str, str]) -> ctypes.CDLL:
    """Return the kernels for labels of two types, compiled for the host."""
    folder = Path(mkdtemp(prefix="clustermark-kernels-"))
    kernels = read_kernels(prelude="")
    names = re.findall(r'extern "C" __global__ void __launch_bounds__\([0-9, ]*\) (\w+)\(', kernels)
    source = (HERE / "host.hpp").read_text() + kernels + "".join(f"KERNEL({name})\n" for name in names)
    (folder / "kernels.cpp").write_text(source)
    flags = [
        "-std=c++20",
        "-O1",
        "-pthread",
        "-shared",
        "-fPIC",
        "-w",
        f"-DTRUE_LABEL={types[0]}",
        f"-DPRED_LABEL={types[1]}",
    ]
    subprocess.run(["g++", *flags, "-o", str(folder / "kernels.so"), str(folder / "kernels.cpp")], check=True)
    return ctypes.CDLL(str(folder / "kernels.so"))


class HostMemory:
    """Memory of the host, guarded behind its end."""

    def __init__(self, n_bytes: int, fill: int | None) -> None:
        self._bytes = np.full(n_bytes + 64, 0xA5 if fill is None else fill, np.uint8)
        self._n = n_bytes
        self._bytes[n_bytes:] = 0x5A
        self.address = int(self._bytes.ctypes.data)

    def check(self) -> None:
        """Raise an error if a kernel wrote behind the end."""
        assert (self._bytes[self._n :] == 0x5A).all(), "a kernel wrote behind its memory"

    def __del__(self) -> None:
        self.check()


class HostMachine:
    """Stands for a CUDA device in tests; arrays are those of NumPy."""

    n_blocks = 2
    block = 4

    def __init__(self, shared_bytes: int = 64 << 10, limit: int = 1 << 31) -> None:
        self.shared_bytes, self.limit = shared_bytes, limit
        self.launched: list[str] = []

    def view(self, array: Any, name: str) -> ArrayView:
        array = array.array
        strides = tuple(stride // array.itemsize for stride in array.strides)
        return ArrayView(int(array.ctypes.data), array.shape, strides, array.dtype)

    def allocate(self, n_bytes: int, fill: int | None = None) -> HostMemory:
        if n_bytes > self.limit:
            raise MemoryError("the device has too little memory")
        return HostMemory(n_bytes, fill)

    def launch(self, kernel: str, types: tuple[str, str], blocks: int, shared: int, *arguments: int) -> None:
        assert shared <= self.shared_bytes
        self.launched.append(kernel)
        bits = (ctypes.c_uint64 * len(arguments))(*arguments)
        getattr(library(types), f"run_{kernel}")(bits, blocks, self.block, ctypes.c_uint64(shared))

    def read(self, address: int, n_bytes: int) -> Any:
        return np.ctypeslib.as_array((ctypes.c_uint8 * n_bytes).from_address(address)).copy()


class HostArray:
    """An array of NumPy that says that it lies on a CUDA device."""

    def __init__(self, array: Any, device: int = 0) -> None:
        self.array, self.device = np.asarray(array), device
        self.shape = self.array.shape

    def __len__(self) -> int:
        return len(self.array)

    def __dlpack__(self, **_: Any) -> Any:
        raise BufferError("not in tests")

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, self.device
