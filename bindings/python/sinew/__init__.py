# SPDX-License-Identifier: MIT
"""Physically based flesh for rigged characters: libsinew for Python.

Names are those of include/sinew without `sn_`; the headers document them. Arrays are numpy's; those that the library
owns are views, not copies. Whatever has no class here is in `sinew.lib` and `sinew.author`, the C functions themselves,
with `sinew.ffi` (cffi) for their structs.

    model = sinew.cook("avatar.vrm")
    world = sinew.World()
    body = world.create_body(model)
    body.set_pose(model.clip_pose(0, 0.5))
    world.step(1 / 60)
    body.output()         # (bones + modes, 3, 4)
"""

import os

import numpy as np

from ._library import SinewError, author, check, doubles, ffi, fill, lib, logger, matrices, text, view

__all__ = ["Body", "Model", "SinewError", "World", "author", "cook", "cook_mesh", "ffi", "lib", "logger"]
__version__ = text(lib.sn_version())

REDUCED, COUPLED, LAYERED = lib.SN_SOLVER_REDUCED, lib.SN_SOLVER_COUPLED, lib.SN_SOLVER_LAYERED


def _index(value, count, what):
    if not 0 <= value < count:
        raise IndexError(f"{what} {value} of {count}")
    return value


class Model:
    """A cooked character (model.h). Model(data) loads the bytes of a .sinew file."""

    def __init__(self, data, report=None):
        # 64-byte alignment, of which the format needs 8.
        memory = np.empty(len(data) + 64, np.uint8)
        start = -memory.ctypes.data % 64
        self._bytes = memory[start:start + len(data)]
        self._bytes[:] = np.frombuffer(data, np.uint8)
        out = ffi.new("sn_model **")
        check(lib.sn_model_load(ffi.cast("void *", self._bytes.ctypes.data), len(data), out))
        self.pointer = ffi.gc(out[0], lib.sn_model_release)
        #: sn_cook_report of the cook, or None
        self.report = report
        self.vertex_count = lib.sn_model_vertex_count(self.pointer)
        self.tet_count = lib.sn_model_tet_count(self.pointer)
        self.bone_count = lib.sn_model_bone_count(self.pointer)
        self.mode_count = lib.sn_model_mode_count(self.pointer)
        self.cluster_count = lib.sn_model_cluster_count(self.pointer)
        self.cluster_level_count = lib.sn_model_cluster_level_count(self.pointer)
        self.clip_count = lib.sn_model_clip_count(self.pointer)
        self.morph_count = lib.sn_model_morph_count(self.pointer)
        self.scale = lib.sn_model_scale(self.pointer)

    @classmethod
    def open(cls, path):
        """Reads a .sinew file."""
        with open(path, "rb") as file:
            return cls(file.read())

    def save(self, path):
        """Writes a .sinew file; an old one stays until the new one is whole."""
        path = os.fspath(path)
        part = f"{path}.{os.getpid()}.part"
        try:
            with open(part, "wb") as file:
                file.write(self._bytes)
            os.replace(part, path)
        except BaseException:
            if os.path.exists(part):
                os.unlink(part)
            raise

    @property
    def origin(self):
        """(3,): model units = (file - origin) * scale."""
        out = np.zeros(3)
        lib.sn_model_origin(self.pointer, ffi.cast("double *", out.ctypes.data))
        return out

    @property
    def bone_names(self):
        return [text(lib.sn_model_bone_name(self.pointer, bone)) for bone in range(self.bone_count)]

    @property
    def bone_parents(self):
        return [lib.sn_model_bone_parent(self.pointer, bone) for bone in range(self.bone_count)]

    @property
    def morph_names(self):
        return [text(lib.sn_model_morph_name(self.pointer, morph)) for morph in range(self.morph_count)]

    @property
    def clips(self):
        """Names and seconds of the clips."""
        return [(text(lib.sn_model_clip_name(self.pointer, clip)), lib.sn_model_clip_seconds(self.pointer, clip))
                for clip in range(self.clip_count)]

    def clip_pose(self, clip, seconds):
        """(bones, 3, 4) of a clip at a time, looped."""
        out = np.empty((self.bone_count, 3, 4), np.float32)
        lib.sn_model_clip_pose(self.pointer, _index(clip, self.clip_count, "clip"), seconds,
                               ffi.cast("sn_mat3x4 *", out.ctypes.data), self.bone_count)
        return out

    def clip_morphs(self, clip, seconds):
        """(morphs,) weights of a clip at a time."""
        out = np.empty(self.morph_count, np.float32)
        lib.sn_model_clip_morphs(self.pointer, _index(clip, self.clip_count, "clip"), seconds,
                                 ffi.cast("float *", out.ctypes.data), self.morph_count)
        return out

    @property
    def surface(self):
        """The drawn surface (surface.h) as a dictionary of views: positions, normals, tangents, uvs, triangles,
        mode_weights (vertices, modes) and influences."""
        surface = lib.sn_model_surface(self.pointer)
        count = surface.vertex_count
        mode_weight = np.dtype([("weight", "<f4"), ("derivatives", "<f2", 2)])
        influence = np.dtype([("bone", "<i4"), ("weight", "<f4"), ("derivatives", "<f2", 2)])
        starts = view(self, surface.influence_starts, np.int32, count + 1)
        return {
            "diagonal": surface.diagonal,
            "positions": view(self, surface.positions, np.float32, count, 3),
            "normals": view(self, surface.normals, np.float32, count, 3),
            "tangents": view(self, surface.tangents, np.float32, count, 4),
            "uvs": view(self, surface.uvs, np.float32, count, 4),
            "triangles": view(self, surface.triangles, np.int32, surface.triangle_count, 3),
            "mode_weights": view(self, surface.mode_weights, mode_weight, count, surface.mode_count)["weight"],
            "influence_starts": starts,
            "influences": view(self, surface.influences, influence, int(starts[-1]) if count else 0),
        }


class World:
    """Steps bodies with a fixed time step (world.h). Keywords are fields of sn_world_desc."""

    def __init__(self, **desc):
        struct = ffi.new("sn_world_desc *", lib.sn_default_world_desc())
        fill(struct, desc)
        self._id = ffi.new("sn_world_id *")
        check(lib.sn_world_create(struct, self._id))
        self.bodies = []

    def _alive(self):
        if self._id is None:
            raise ValueError("the world is destroyed")
        return self._id[0]

    def create_body(self, model, **desc):
        """A body at rest in the bind pose. Keywords are fields of sn_body_desc."""
        return Body(self, model, desc)

    def create_collider(self, **desc):
        """A solid for all bodies; returns its sn_collider_id. Keywords are fields of sn_collider_desc."""
        struct = ffi.new("sn_collider_desc *", lib.sn_default_collider_desc())
        if "transform" in desc:
            struct.transform = matrices(desc.pop("transform"))[1][0]
        kept = fill(struct, desc)
        out = ffi.new("sn_collider_id *")
        check(lib.sn_collider_create(self._alive(), struct, out))
        del kept
        return out

    def step(self, seconds):
        """Advances by seconds; returns sn_world_report."""
        return lib.sn_world_step(self._alive(), seconds)

    def destroy(self):
        """Destroys its bodies, too."""
        if self._id is not None:
            lib.sn_world_destroy(self._id[0])
            self._id = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.destroy()

    __del__ = destroy


class Body:
    """A character's flesh (world.h); World.create_body makes it."""

    def __init__(self, world, model, desc):
        self.world, self.model = world, model
        self._desc = ffi.new("sn_body_desc *", lib.sn_default_body_desc())
        self._desc.model = model.pointer
        self._kept = fill(self._desc, desc)
        self._id = ffi.new("sn_body_id *")
        check(lib.sn_body_create(world._alive(), self._desc, self._id))

    @property
    def id(self):
        """The sn_body_id, for the functions of sinew.lib."""
        self.world._alive()
        if not lib.sn_body_is_valid(self._id[0]):
            raise ValueError("the body is destroyed")
        return self._id[0]

    def _moving(self):
        if self._desc.solver == REDUCED:
            raise ValueError("this is for coupled and layered bodies")
        return self.id

    def set_desc(self, **desc):
        """Changes fields of sn_body_desc; raises, and changes nothing, if one is out of range."""
        changed = ffi.new("sn_body_desc *", self._desc[0])
        kept = fill(changed, desc)
        check(lib.sn_body_set_desc(self.id, changed))
        self._desc, self._kept = changed, self._kept + kept

    def set_detail(self, mode_count, cluster_level):
        self.set_desc(mode_count=mode_count, cluster_level=cluster_level)

    def set_pose(self, bones):
        """bones: (bones, 3, 4), relative to bind, in model units."""
        array, pointer = matrices(bones, self.model.bone_count)
        lib.sn_body_set_pose(self.id, pointer, len(array))

    def set_rigid_pose(self, transform):
        """One transform (3, 4) for all bones."""
        array, pointer = matrices(transform)
        lib.sn_body_set_rigid_pose(self.id, pointer)
        del array

    def set_morphs(self, weights):
        """weights: (morphs,)."""
        array = np.ascontiguousarray(weights, np.float32)
        if array.shape != (self.model.morph_count,):
            raise ValueError(f"an array of shape {(self.model.morph_count,)} is needed, not {array.shape}")
        lib.sn_body_set_morphs(self.id, ffi.cast("float *", array.ctypes.data), len(array))

    def set_locks(self, bone, locks):
        """Which axes of a coupled body's bone the pose drives: a sum of lib.SN_LOCK_..."""
        if self._desc.solver != COUPLED:
            raise ValueError("this is for coupled bodies")
        lib.sn_body_set_locks(self.id, _index(bone, self.model.bone_count, "bone"), locks)

    def reset(self):
        """Puts the body to rest in the pose that was set last."""
        lib.sn_body_reset(self.id)

    def apply_impulse(self, point, impulse):
        """On the skin nearest to a point (3,): kg model units/s (3,)."""
        first, second = doubles(point, 3), doubles(impulse, 3)
        lib.sn_body_apply_impulse(self.id, first[1], second[1])

    def last_step_stats(self):
        """sn_body_step_stats: iteration_count, change, is_converged, is_over_budget."""
        return lib.sn_body_last_step_stats(self.id)

    def output(self):
        """(bones + modes, 3, 4): a view, valid until the next step or change of the body."""
        out = lib.sn_body_output(self.id)
        return view(self, out.matrices, np.float32, out.bone_count + self.model.mode_count, 3, 4)

    def skin(self):
        """Positions and normals (vertices, 3) of the drawn surface, computed on the CPU."""
        surface = ffi.new("sn_surface *", lib.sn_model_surface(self.model.pointer))
        output = ffi.new("sn_body_matrices *", lib.sn_body_output(self.id))
        positions = np.empty((surface.vertex_count, 3), np.float32)
        normals = np.empty_like(positions)
        check(lib.sn_surface_skin(surface, output, ffi.cast("float *", positions.ctypes.data),
                                  ffi.cast("float *", normals.ctypes.data), ffi.NULL))
        return positions, normals

    def tet_positions(self):
        """(model.vertex_count, 3): where the flesh of a coupled or layered body is after the last step."""
        out = np.empty((self.model.vertex_count, 3))
        lib.sn_body_tet_positions(self._moving(), ffi.cast("double *", out.ctypes.data), len(out))
        return out

    def motion(self):
        """sn_body_motion of a coupled or layered body: kinetic, elastic, momentum, angular_momentum, is_asleep."""
        return lib.sn_body_get_motion(self._moving())

    def destroy(self):
        if self.world._id is not None and lib.sn_body_is_valid(self._id[0]):
            lib.sn_body_destroy(self._id[0])


def _cook(call, desc):
    struct = ffi.new("sn_cook_desc *", author.sn_default_cook_desc())
    progress = desc.pop("progress", None)
    kept = fill(struct, desc)
    errors = []
    if progress:
        @ffi.callback("sn_cook_progress_function")
        def report_progress(*values):
            try:
                return progress(*values[:-1]) is not False
            except BaseException as error:  # it cannot pass through C
                errors.append(error)
                return False
        struct.progress = report_progress
    blob, report = ffi.new("sn_blob *"), ffi.new("sn_cook_report *")
    result = call(struct, blob, report)
    del kept
    if errors:
        raise errors[0]
    check(result)
    try:
        return Model(ffi.buffer(blob.bytes, blob.size), report)
    finally:
        author.sn_blob_release(blob)


def cook(path, **desc):
    """Cooks a character's file to a Model (author.h: sn_cook). Keywords are fields of sn_cook_desc; progress is a
    function, which may return False to cancel."""
    return _cook(lambda struct, blob, report: author.sn_cook(os.fsencode(path), struct, blob, report), desc)


def cook_mesh(positions, tets=None, triangles=None, **desc):
    """Cooks tets (n, 4), or the solid inside triangles (n, 3), given as arrays (author.h: sn_cook_mesh)."""
    points = np.ascontiguousarray(positions, np.float64)
    if points.ndim != 2 or points.shape[1] != 3:
        raise ValueError(f"positions of shape (n, 3) are needed, not {points.shape}")
    mesh = ffi.new("sn_cook_mesh_input *", {"vertex_count": len(points)})
    mesh.positions = ffi.cast("double *", points.ctypes.data)
    kept = [points]
    for name, values, width in (("tet", tets, 4), ("triangle", triangles, 3)):
        if values is not None:
            array = np.ascontiguousarray(values, np.int32)
            if array.ndim != 2 or array.shape[1] != width:
                raise ValueError(f"{name}s of shape (n, {width}) are needed, not {array.shape}")
            kept.append(array)
            setattr(mesh, f"{name}_count", len(array))
            setattr(mesh, f"{name}s", ffi.cast("int32_t *", array.ctypes.data))
    return _cook(lambda struct, blob, report: author.sn_cook_mesh(mesh, struct, blob, report), desc)
