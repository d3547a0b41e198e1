# SPDX-License-Identifier: MIT
"""Loads libsinew. The declarations are those of include/sinew, read when the package is imported."""

import logging
import os
import pathlib
import re
import threading

import cffi
import numpy as np

_HERE = pathlib.Path(__file__).parent
_HEADERS = ("types", "model", "world", "surface", "author")

ffi = cffi.FFI()
logger = logging.getLogger("sinew")
_last = threading.local()


def _declarations(folder):
    """The headers as cffi reads them: without comments, conditions and SN_API."""
    text = "\n".join((folder / f"{name}.h").read_text() for name in _HEADERS)
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"#if(def __cplusplus| defined\(_WIN32\)).*?#endif", "", text, flags=re.S)
    text = re.sub(r"^\s*#\s*(include|if|endif|define SINEW_|define SN_VERSION_STRING).*$", "", text, flags=re.M)
    text = re.sub(r"^#define (\w+) \(?(\d+)\)?$", r"#define \1 \2", text, flags=re.M)
    return text.replace("SN_API ", "")


def _find(name, variable):
    """The library in the package, in the folder of an environment variable, or where the system looks."""
    for folder in (_HERE / "lib", pathlib.Path(os.environ.get(variable, "/nonexistent"))):
        if (folder / name).exists():
            return str(folder / name)
    return name


def _header_folder():
    for folder in (_HERE / "include", _HERE.parents[2] / "include" / "sinew", pathlib.Path("/usr/include/sinew"),
                   pathlib.Path("/usr/local/include/sinew")):
        if (folder / "world.h").exists():
            return folder
    raise ImportError("sinew: the headers of libsinew are missing; build the package with bindings/python/build.sh")


ffi.cdef(_declarations(_header_folder()))
lib = ffi.dlopen(_find("libsinew.so.0", "SINEW_LIBRARY_PATH"), ffi.RTLD_GLOBAL | ffi.RTLD_NOW)


class _Author:
    """libsinew_author, which cooks. Loaded by its first use, since it needs more libraries."""

    def __getattr__(self, name):
        try:
            library = ffi.dlopen(_find("libsinew_author.so.0", "SINEW_LIBRARY_PATH"))
        except OSError as error:
            raise ImportError(f"sinew: libsinew_author cannot be loaded, which cooking needs: {error}") from error
        self.__dict__["_library"] = library
        self.__class__ = _LoadedAuthor
        return getattr(library, name)


class _LoadedAuthor(_Author):
    def __getattr__(self, name):
        return getattr(self.__dict__["_library"], name)


author = _Author()


@ffi.callback("sn_log_function")
def _receive_log(level, message, _user):
    text = ffi.string(message).decode(errors="replace")
    if level == lib.SN_LOG_ERROR:
        _last.message = text
    # An error is raised by the call that it belongs to.
    logger.log({lib.SN_LOG_ERROR: logging.DEBUG, lib.SN_LOG_WARNING: logging.WARNING}.get(level, logging.INFO), text)


lib.sn_set_log(_receive_log, ffi.NULL)


class SinewError(Exception):
    """A call that failed. `result` is its sn_result."""

    def __init__(self, result, message):
        super().__init__(message)
        self.result = result


def check(result):
    """Raises the error of a sn_result."""
    if result != lib.SN_OK:
        name = ffi.string(lib.sn_result_name(result)).decode()
        raise SinewError(result, getattr(_last, "message", None) or name)


class _Memory:
    """Native memory as an array's base, which keeps its owner alive."""

    def __init__(self, owner, pointer, dtype, shape, is_writable):
        self.owner = owner
        self.__array_interface__ = {
            "version": 3, "shape": shape, "typestr": np.dtype(dtype).str, "descr": np.dtype(dtype).descr,
            "data": (int(ffi.cast("uintptr_t", pointer)), not is_writable)}


def view(owner, pointer, dtype, *shape, is_writable=False):
    """Native memory as an array, without a copy."""
    if pointer == ffi.NULL or 0 in shape:
        return np.zeros(shape, dtype)
    return np.asarray(_Memory(owner, pointer, dtype, shape, is_writable))


def doubles(values, *shape):
    """The values as doubles of a shape, and a pointer to them."""
    array = np.ascontiguousarray(values, np.float64)
    if array.shape != shape:
        raise ValueError(f"an array of shape {shape} is needed, not {array.shape}")
    return array, ffi.cast("double *", array.ctypes.data)


def matrices(values, *shape):
    """Transforms (..., 3 x 4) as sn_mat3x4, and a pointer to them."""
    array = np.ascontiguousarray(values, np.float32)
    if array.shape != (*shape, 3, 4):
        raise ValueError(f"an array of shape {(*shape, 3, 4)} is needed, not {array.shape}")
    return array, ffi.cast("sn_mat3x4 *", array.ctypes.data)


# Arrays of sn_cook_desc and the fields of their lengths.
_LENGTHS = {"leak_values": ("leak_count",), "pins": ("pin_count",), "pin_mask": ("pin_mask_count",),
            "labels": ("label_count",), "rows": ("row_count", "row_length")}


def fill(struct, values):
    """Sets fields of a struct by name; returns what must live as long as the struct."""
    kept = []
    fields = dict(ffi.typeof(struct).item.fields)
    for name, value in values.items():
        if name not in fields:
            raise TypeError(f"{ffi.typeof(struct).item.cname} has no field {name!r}; it has {', '.join(fields)}")
        kind = fields[name].type
        if kind.kind == "pointer" and isinstance(value, (str, bytes, pathlib.PurePath)):
            value = ffi.new("char[]", os.fsencode(value))
            kept.append(value)
        elif kind.kind == "pointer" and not isinstance(value, ffi.CData):
            dtype = {"double": np.float64, "int32_t": np.int32, "uint8_t": np.uint8}[kind.item.cname]
            array = np.ascontiguousarray(value, dtype)
            kept.append(array)
            for field, length in zip(_LENGTHS.get(name, ()), array.shape):
                setattr(struct, field, length)
            value = ffi.cast(kind, array.ctypes.data)
        elif kind.kind == "array" and not isinstance(value, (ffi.CData, str)):
            value = list(value)
        setattr(struct, name, value)
    return kept


def text(pointer):
    return ffi.string(pointer).decode() if pointer != ffi.NULL else None
