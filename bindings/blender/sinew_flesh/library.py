# SPDX-License-Identifier: MIT
"""libsinew, through the functions of bindings/bridge/bridge.c."""

import ctypes
import os
import sys

import numpy as np

# The order of bridge_setting in bridge.c; vectors have one entry for each coordinate.
SETTINGS = ("stiffness", "damping", "amount", "gravity", "gravity", "gravity", "wind", "wind", "wind", "springs")

_pointer, _int, _double = ctypes.c_void_p, ctypes.c_int, ctypes.c_double
_LOG = ctypes.CFUNCTYPE(None, _int, _pointer, ctypes.c_size_t)
_FUNCTIONS = {
    "set_log": (None, _LOG),
    "start": (None,),
    "model_load": (_pointer, _pointer, ctypes.c_size_t),
    "model_release": (None, _pointer),
    "model_bone_count": (_int, _pointer),
    "model_mode_count": (_int, _pointer),
    "model_scale": (_double, _pointer),
    "model_origin": (None, _pointer, _pointer),
    "model_bone_name": (ctypes.c_char_p, _pointer, _int),
    "model_bone_parent": (_int, _pointer, _int),
    "surface_vertex_count": (_int, _pointer),
    "surface_diagonal": (_double, _pointer),
    "surface_mode_weights": (_pointer, _pointer),
    "surface_find_vertices": (ctypes.c_bool, _pointer, _int, _pointer, _pointer, _pointer, _pointer),
    "world_create": (_pointer, _double, _int),
    "world_destroy": (None, _pointer),
    "world_step": (_int, _pointer, _double),
    "body_create": (_pointer, _pointer, _pointer),
    "body_destroy": (None, _pointer),
    "body_set": (None, _pointer, _int, _double),
    "body_apply": (ctypes.c_bool, _pointer),
    "body_set_pose": (None, _pointer, _pointer),
    "body_reset": (None, _pointer),
    "body_output": (_pointer, _pointer),
    "body_skin": (ctypes.c_bool, _pointer, _pointer, _pointer),
}


class SinewError(Exception):
    pass


_last_error = ""


@_LOG
def _receive_log(level, text, length):
    global _last_error
    message = ctypes.string_at(text, length).decode("utf-8", "replace")
    if level == 0:
        _last_error = message
    print(f"sinew: {message}", file=sys.stderr)


def _load():
    name = {"win32": "sinew_bridge.dll"}.get(sys.platform, "libsinew_bridge.so")
    library = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "lib", name))
    for function, (result, *arguments) in _FUNCTIONS.items():
        symbol = getattr(library, "bridge_" + function)
        symbol.restype, symbol.argtypes = result, arguments
    library.bridge_start()
    library.bridge_set_log(_receive_log)
    return library


_library = None


def call(function, *arguments):
    """Calls a function of bridge.c by its name without `bridge_`. Arrays are passed by their address."""
    global _library
    if _library is None:
        _library = _load()
    return getattr(_library, "bridge_" + function)(
        *[argument.ctypes.data if isinstance(argument, np.ndarray) else argument for argument in arguments])


def failure():
    return SinewError(_last_error or "out of memory")


def _view(pointer, dtype, *shape):
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.frombuffer((ctypes.c_char * size).from_address(pointer), dtype).reshape(shape) if size else np.zeros(shape, dtype)


class Model:
    """A cooked character: the bytes of a .sinew file."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        self._bytes = np.empty(len(data) + 8, np.uint8)
        start = -self._bytes.ctypes.data % 8
        self._bytes[start:start + len(data)] = np.frombuffer(data, np.uint8)
        self.pointer = call("model_load", self._bytes.ctypes.data + start, len(data))
        if not self.pointer:
            raise failure()
        self.scale = call("model_scale", self.pointer)
        self.diagonal = call("surface_diagonal", self.pointer)
        self.origin = np.zeros(3)
        call("model_origin", self.pointer, self.origin)
        self.mode_count = call("model_mode_count", self.pointer)
        count = call("model_bone_count", self.pointer)
        self.bone_names = [call("model_bone_name", self.pointer, bone).decode() for bone in range(count)]
        self.bone_parents = [call("model_bone_parent", self.pointer, bone) for bone in range(count)]
        self.vertex_count = call("surface_vertex_count", self.pointer)
        weight = np.dtype([("weight", "<f4"), ("derivatives", "<f2", 2)])
        #: (vertices, modes)
        self.mode_weights = _view(call("surface_mode_weights", self.pointer), weight, self.vertex_count, self.mode_count)["weight"]

    def find_vertices(self, positions):
        """The model's vertex for each position in model units at rest, or -1."""
        positions = np.ascontiguousarray(positions, np.float32)
        result = np.empty(len(positions), np.int32)
        if not call("surface_find_vertices", self.pointer, len(positions), positions, None, None, result):
            raise failure()
        return result

    def __del__(self):
        if getattr(self, "pointer", None):
            call("model_release", self.pointer)


class Body:
    """The flesh of one character in a world of its own."""

    def __init__(self, model, time_step):
        self.model = model
        self._body = None
        self._world = call("world_create", time_step, 8)
        if not self._world:
            raise failure()
        self._body = call("body_create", self._world, model.pointer)
        if not self._body:
            raise failure()

    def set(self, **settings):
        """Parameters of the body, see SETTINGS; lengths in model units."""
        done = {}
        for index, name in enumerate(SETTINGS):
            if name in settings:
                value = settings[name]
                if np.ndim(value):
                    value = value[done.get(name, 0)]
                    done[name] = done.get(name, 0) + 1
                call("body_set", self._body, index, float(value))
        if not call("body_apply", self._body):
            raise failure()

    def set_pose(self, pose):
        """(bones, 3, 4), relative to bind, in model units."""
        pose = np.ascontiguousarray(pose, np.float32)
        assert pose.shape == (len(self.model.bone_names), 3, 4)
        call("body_set_pose", self._body, pose)

    def reset(self):
        call("body_reset", self._body)

    def step(self, seconds):
        call("world_step", self._world, seconds)

    def modes(self):
        """(modes, 3, 4)."""
        count = len(self.model.bone_names)
        output = _view(call("body_output", self._body), np.float32, count + self.model.mode_count, 3, 4)
        return output[count:].copy()

    def skin(self):
        """(vertices, 3): the surface in model units, moved by bones and modes. For tests."""
        positions = np.empty((self.model.vertex_count, 3), np.float32)
        if not call("body_skin", self._body, positions, None):
            raise failure()
        return positions

    def __del__(self):
        if getattr(self, "_body", None):
            call("body_destroy", self._body)
        if getattr(self, "_world", None):
            call("world_destroy", self._world)
