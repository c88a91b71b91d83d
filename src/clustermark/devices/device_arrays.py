"""Arrays on a device: recognized by their protocols, and read in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from clustermark.devices.machine import Machine

_CPU, _CUDA = 1, 2
"""Kinds of devices of DLPack."""
_HOST = (_CPU, 3, 11)
"""Memory that the CPU can read: its own, and that pinned by CUDA or ROCm."""
_OTHERS = {
    7: "Vulkan",
    8: "Metal (MPS)",
    10: "ROCm",
    14: "oneAPI",
    15: "WebGPU",
    4: "OpenCL",
    13: "CUDA managed memory",
}


class DeviceArray(NamedTuple):
    """One column of numbers in the memory of a device."""

    address: int
    size: int
    stride: int
    """Distance of neighbours, in elements."""
    dtype: np.dtype[Any]
    keeper: Any
    """The object that owns the memory."""


def may_be_on_device(array: object) -> bool:
    """Return quickly whether an array could lie on a device: whether its class has a protocol of such arrays."""
    kind = type(array)
    return hasattr(kind, "__dlpack_device__") or hasattr(kind, "__cuda_array_interface__")


def device_of(array: Any) -> int | None:
    """Return the number of the CUDA device of an array, or None for the CPU; raise an error for other devices."""
    kind = type(array)
    if hasattr(kind, "__dlpack_device__"):
        device, number = array.__dlpack_device__()
        if device == _CUDA:
            return int(number)
        if device in _HOST:
            return None
        name = _OTHERS.get(int(device), f"number {int(device)} of DLPack")
        raise InputError(
            f"the array ({kind.__name__}) is in the memory of a device of the kind {name}; only CUDA devices are read "
            "in place. Move it to the CPU, for example by array.cpu()"
        )
    if hasattr(kind, "__cuda_array_interface__") and hasattr(array, "__cuda_array_interface__"):
        return _find_device(array)
    return None


def _find_device(array: Any) -> int:
    """Return the device of an array with the CUDA array interface only, by the address of its data."""
    from clustermark.devices.machine import device_at

    return device_at(int(array.__cuda_array_interface__["data"][0]))


def read_array(array: Any, name: str, machine: Machine) -> DeviceArray:
    """Return the view of an array of whole numbers or booleans with one dimension, or one column."""
    view = machine.view(array, name)
    shape, strides = view.shape, view.strides
    if len(shape) == 2 and shape[1] == 1:
        shape, strides = shape[:1], strides[:1]
    if len(shape) != 1:
        raise InputError(f"{name} has {len(shape)} dimensions; pass one label per point, such as {name}.flatten()")
    return DeviceArray(view.address, shape[0], strides[0], view.dtype, array)


def check_labels(labels: DeviceArray, name: str) -> None:
    """Raise an error for labels that are no whole numbers or booleans."""
    if labels.dtype.kind not in "iub":
        raise InputError(
            f"{name} has the type {labels.dtype} on a device, where labels must be whole numbers or booleans; convert "
            f"it there, for example by {name}.long() or .astype(int), or move it to the CPU"
        )
