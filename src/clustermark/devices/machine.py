"""A machine that runs kernels on device memory; and the one that uses CUDA."""

from __future__ import annotations

import ctypes
import threading
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from clustermark.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class ArrayView(NamedTuple):
    """The address, shape, strides (in elements) and type of an array."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]


class Memory(Protocol):
    """A block of device memory, which is freed with the object."""

    @property
    def address(self) -> int:
        """The address of the first byte."""
        ...


class Machine(Protocol):
    """Memory and kernels of one device; one thread of the host uses a machine."""

    n_blocks: int
    """Number of blocks that run at once."""
    block: int
    """Number of threads of a block."""
    shared_bytes: int
    """Shared memory that one block may have."""

    def view(self, array: Any, name: str) -> ArrayView:
        """Return where an array lies, once all work on it that its framework has begun is ordered before ours."""
        ...

    def allocate(self, n_bytes: int, fill: int | None = None) -> Memory:
        """Return new memory, with this value in every byte; raise `MemoryError` if the device has too little."""
        ...

    def launch(self, kernel: str, types: tuple[str, str], blocks: int, shared: int, *arguments: int) -> None:
        """Start a kernel for labels of two types; arguments are whole numbers of 8 bytes and addresses."""
        ...

    def read(self, address: int, n_bytes: int) -> NDArray[np.uint8]:
        """Return a copy of memory, once all kernels have ended."""
        ...


@cache
def read_kernels(prelude: str = "cuda.cuh") -> str:
    """Return the source of the kernels, behind what they need beside C++."""
    folder = resources.files("clustermark.devices") / "kernels"
    return "".join((folder / name).read_text() for name in (prelude, "labels.cu") if name)


_machines = threading.local()


def machine_of(device: int) -> Machine:
    """Return the machine of a CUDA device for the calling thread."""
    made: dict[int, Machine] = _machines.__dict__.setdefault("made", {})
    if device not in made:
        made[device] = CudaMachine(device)
    return made[device]


def device_at(address: int) -> int:
    """Return the number of the device with this address."""
    core, driver, _ = _import_cuda()
    core.Device(0).set_current()
    ordinal = driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    error, number = driver.cuPointerGetAttribute(ordinal, address)
    _check(error)
    return int(number)


def _import_cuda() -> tuple[Any, Any, Any]:
    """Return NVIDIA's modules for Python; raise an error that names the extra if they are not installed."""
    try:
        from cuda import core
        from cuda.bindings import driver  # pyright: ignore[reportAttributeAccessIssue]
        from cuda.core.utils import StridedMemoryView
    except ImportError as error:
        raise InputError(
            "labels on a CUDA device need the package cuda-core: pip install 'clustermark[gpu]'; or move the "
            "labels to the CPU, for example by labels.cpu()"
        ) from error
    return core, driver, StridedMemoryView


def _check(error: Any) -> None:
    if int(error):
        raise RuntimeError(f"the CUDA driver reports {error!r}")


class CudaMachine:
    """A CUDA device, by NVIDIA's package cuda-core; kernels are compiled by NVRTC on first use, and kept in a cache."""

    block = 1024

    def __init__(self, device: int) -> None:
        core, driver, self._strided = _import_cuda()
        self._core, self._driver = core, driver
        self._device = core.Device(device)
        self._device.set_current()
        self._number = driver.CUdevice(device)
        self._stream = self._device.create_stream()
        self._handle = int(self._stream.handle)
        self._pool = self._device.memory_resource
        self._host = core.LegacyPinnedMemoryResource().allocate(_PINNED)
        self._pinned: NDArray[np.uint8] = np.ctypeslib.as_array(
            (ctypes.c_uint8 * _PINNED).from_address(int(self._host.handle))
        )
        properties = self._device.properties
        self.n_blocks = int(properties.multiprocessor_count)
        self.shared_bytes = int(properties.max_shared_memory_per_block_optin) - _STATIC_SHARED
        self._configs: dict[tuple[int, int], Any] = {}
        self._kernels: dict[tuple[str, tuple[str, str]], Any] = {}
        self._programs: dict[tuple[str, str], Any] = {}

    def view(self, array: Any, name: str) -> ArrayView:
        """Return where an array lies; our stream waits for that of its framework."""
        try:
            view = self._strided.from_any_interface(array, stream_ptr=self._handle)
        except (BufferError, TypeError, RuntimeError, NotImplementedError) as error:
            raise InputError(f"{name} cannot be read on its device: {error}") from error
        strides = view.strides
        if strides is None:
            strides = tuple(int(np.prod(view.shape[place + 1 :])) for place in range(len(view.shape)))
        return ArrayView(int(view.ptr), tuple(view.shape), tuple(strides), np.dtype(view.dtype))

    def allocate(self, n_bytes: int, fill: int | None = None) -> Memory:
        """Return new memory of the device, in the order of our stream."""
        try:
            buffer = self._device.allocate(max(n_bytes, 8), stream=self._stream)
        except Exception as error:
            if "OUT_OF_MEMORY" in str(error).upper():
                raise MemoryError(f"the device has no {n_bytes / 2**30:.1f} GiB of memory free") from error
            raise
        if fill is not None:
            buffer.fill(fill, stream=self._stream)
        return _CudaMemory(buffer, self._stream)

    def launch(self, kernel: str, types: tuple[str, str], blocks: int, shared: int, *arguments: int) -> None:
        """Start a kernel on our stream."""
        key = kernel, types
        found = self._kernels.get(key)
        if found is None:
            found = self._kernels[key] = self._load(kernel, types)
        config = self._configs.get((blocks, shared))
        if config is None:
            config = self._core.LaunchConfig(grid=blocks, block=self.block, shmem_size=shared)
            self._configs[blocks, shared] = config
        signed = (number - (1 << 64) if number >> 63 else number for number in arguments)  # of the same bits
        self._core.launch(self._stream, config, found, *signed)

    def _load(self, kernel: str, types: tuple[str, str]) -> Any:
        if types not in self._programs:
            self._programs[types] = compile_kernels(self._device.arch, types)
        loaded = self._programs[types].get_kernel(kernel)
        most = self._driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        handle = self._driver.CUkernel(int(loaded.handle))
        (error,) = self._driver.cuKernelSetAttribute(most, self.shared_bytes, handle, self._number)
        _check(error)
        return loaded

    def read(self, address: int, n_bytes: int) -> NDArray[np.uint8]:
        """Return a copy of memory of the device, by way of pinned memory where it is small."""
        if n_bytes <= _PINNED:
            (error,) = self._driver.cuMemcpyDtoHAsync(int(self._host.handle), address, n_bytes, self._handle)
            _check(error)
            self._stream.sync()
            return self._pinned[:n_bytes].copy()
        copy = np.empty(n_bytes, np.uint8)
        (error,) = self._driver.cuMemcpyDtoHAsync(copy.ctypes.data, address, n_bytes, self._handle)
        _check(error)
        self._stream.sync()
        return copy


class _CudaMemory:
    """A buffer of the device, freed in the order of the stream."""

    def __init__(self, buffer: Any, stream: Any) -> None:
        self._buffer, self._stream = buffer, stream
        self.address = int(buffer.handle)

    def __del__(self) -> None:
        self._buffer.close(stream=self._stream)


_PINNED = 1 << 16
"""Bytes of pinned memory for small copies."""
_STATIC_SHARED = 1024
"""Shared memory that kernels have beside the dynamic one."""


def compile_kernels(arch: str, types: tuple[str, str], *, keep: bool = True) -> Any:
    """Return the compiled kernels for labels of two types, from the cache of programs if they are there."""
    from cuda.core import Program, ProgramOptions  # pyright: ignore[reportAttributeAccessIssue]
    from cuda.core.utils import FileStreamProgramCache

    options = ProgramOptions(
        std="c++17", arch=f"sm_{arch}", define_macro=[("TRUE_LABEL", types[0]), ("PRED_LABEL", types[1])]
    )
    program = Program(read_kernels(), "c++", options)
    return program.compile("cubin", cache=FileStreamProgramCache() if keep else None)
