# SPDX-License-Identifier: MIT
"""Flesh of one armature: reads its pose, steps the body, and writes a shape key of each mesh.

The modes displace skin that the bones have moved already: x = (bones' blend) X + sum_j w_j T_j X. A shape key acts before
the Armature modifier, so that it gets the displacement turned back by each vertex's blend of bones."""

import bpy
import numpy as np

from .library import Body, Model

KEY = "Sinew Flesh"
STIFFNESS_GROUP, AMPLITUDE_GROUP = "Sinew Stiffness", "Sinew Amplitude"

# glTF has y up: file = (x, z, -y)
_FILE_FROM_BLENDER = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], float)


def meshes_of(armature):
    """The meshes that the armature moves, by a modifier or as its children."""
    return [obj for obj in bpy.data.objects if obj.type == "MESH" and (
        obj.parent == armature or any(m.type == "ARMATURE" and m.object == armature for m in obj.modifiers))]


def remember_bind(armature):
    """Call it when the armature is exported: the model's file space is that of the scene with the armature there."""
    armature["sinew_bind"] = [value for row in armature.matrix_world for value in row]


def in_model_units(model, vector):
    """A velocity or acceleration of the scene, as the model has it."""
    return model.scale * (_FILE_FROM_BLENDER[:3, :3] @ np.array(vector))


def _coordinates(vertices):
    result = np.empty(3 * len(vertices), np.float32)
    vertices.foreach_get("co", result)
    return result.reshape(-1, 3)


def _apply(matrix, points):
    return points @ matrix[:3, :3].T + matrix[:3, 3]


class Mesh:
    """A mesh with flesh."""

    def __init__(self, obj, flesh):
        self.name = obj.name
        mesh = obj.data
        keys = mesh.shape_keys
        rest = _coordinates(keys.reference_key.data if keys else mesh.vertices)
        self.count = len(rest)
        bind = flesh.bind @ np.linalg.inv(np.array(flesh.armature.matrix_world)) @ np.array(obj.matrix_world)
        points = _apply(flesh.model_from_blender @ bind, rest)
        vertices = flesh.model.find_vertices(points)
        self.found = np.flatnonzero(vertices >= 0)
        self.vertices = vertices[self.found]
        self.unmatched_count = self.count - len(self.found)
        self.rest = rest
        self.weights = flesh.model.mode_weights[self.vertices].astype(np.float32)
        self.points = np.concatenate([points[self.found], np.ones((len(self.found), 1))], 1).astype(np.float32)
        self.bone_weights, self.amplitude = self._read_groups(obj, flesh.bone_index)
        self.offsets = np.zeros((self.count, 3), np.float32)

    def _read_groups(self, obj, bone_index):
        """(found, bones) weights that sum to 1, or to 0 where no bone moves the vertex, and (found,) painted amplitudes."""
        group_bone = {group.index: bone_index[group.name] for group in obj.vertex_groups if group.name in bone_index}
        painted = obj.vertex_groups.get(AMPLITUDE_GROUP)
        weights = np.zeros((len(self.found), len(bone_index)), np.float32)
        amplitude = np.ones(len(self.found), np.float32)
        vertices = obj.data.vertices
        for row, vertex in enumerate(self.found):
            for element in vertices[vertex].groups:
                if element.group in group_bone:
                    weights[row, group_bone[element.group]] = element.weight
                elif painted and element.group == painted.index:
                    amplitude[row] = element.weight
        sums = weights.sum(1, keepdims=True)
        return np.divide(weights, sums, out=weights, where=sums > 0), amplitude

    def update(self, obj, modes, flesh):
        """Computes the offsets of the shape key, (vertices, 3) in the mesh's space."""
        blend = (self.weights @ modes.reshape(len(modes), 12)).reshape(-1, 3, 4)
        moved = np.einsum("vij,vj->vi", blend, self.points) * self.amplitude[:, None]
        to_mesh = np.linalg.inv(np.array(obj.matrix_world))
        local = moved @ (to_mesh[:3, :3] @ flesh.blender_from_model[:3, :3]).T
        # each vertex's blend of bones, in the mesh's space
        turn = to_mesh[:3, :3] @ flesh.deforms[:, :3, :3] @ np.linalg.inv(to_mesh[:3, :3])
        bones = (self.bone_weights @ turn.reshape(-1, 9)).reshape(-1, 3, 3)
        bones[self.bone_weights.sum(1) == 0] = np.eye(3)
        flat = np.abs(np.linalg.det(bones)) < 1e-6
        bones[flat] = np.eye(3)
        self.offsets[self.found] = np.linalg.solve(bones, local[:, :, None])[:, :, 0]


class Flesh:
    def __init__(self, armature, model_path):
        self.armature_name = armature.name
        self.model = Model(bpy.path.abspath(model_path))
        scale = self.model.scale
        to_model = np.diag([scale, scale, scale, 1.0])
        to_model[:3, 3] = -scale * self.model.origin
        self.model_from_blender = to_model @ _FILE_FROM_BLENDER
        self.blender_from_model = np.linalg.inv(self.model_from_blender)
        bind = armature.get("sinew_bind")
        self.bind = np.array(bind, float).reshape(4, 4) if bind else np.array(armature.matrix_world)
        bones = armature.data.bones
        self.bone_index = {bone.name: index for index, bone in enumerate(bones)}
        self.rest_inverses = np.array([np.linalg.inv(np.array(bone.matrix_local)) for bone in bones])
        # for each bone of the model a bone of the armature; one that has none follows its parent, or the armature (-1)
        self.joints = []
        for name, parent in zip(self.model.bone_names, self.model.bone_parents):
            self.joints.append(self.bone_index.get(name, self.joints[parent] if 0 <= parent < len(self.joints) else -1))
        self.meshes = [mesh for mesh in (Mesh(obj, self) for obj in meshes_of(armature)) if len(mesh.found)]
        if not self.meshes:
            raise ValueError(f"no vertex of {armature.name} is in {model_path}: cook the character again")
        self.unmatched_count = sum(mesh.unmatched_count for mesh in self.meshes)
        scene = bpy.context.scene
        self.seconds = scene.render.fps_base / scene.render.fps
        self.body = Body(self.model, self.seconds / max(1, round(60 * self.seconds)))
        self.frame = None
        self.deforms = None
        self.settings = None

    @property
    def armature(self):
        return bpy.data.objects[self.armature_name]

    def _read_pose(self, depsgraph):
        armature = self.armature.evaluated_get(depsgraph)
        world = np.array(armature.matrix_world)
        poses = np.array([np.array(bone.matrix) for bone in armature.pose.bones])
        # in the scene as it stands: what the bones do to the armature's rest
        self.deforms = world @ poses @ self.rest_inverses @ np.linalg.inv(world)
        moved = world @ poses @ self.rest_inverses @ np.linalg.inv(self.bind)
        root = world @ np.linalg.inv(self.bind)
        joints = np.array([moved[joint] if joint >= 0 else root for joint in self.joints])
        return (self.model_from_blender @ joints @ self.blender_from_model)[:, :3]

    def _apply_settings(self, properties):
        settings = {
            "amount": properties.amount, "stiffness": properties.stiffness, "damping": properties.damping,
            "gravity": in_model_units(self.model, properties.gravity), "wind": in_model_units(self.model, properties.wind),
            "springs": False,
        }
        key = str(settings)
        if key != self.settings:
            self.body.set(**settings)
            self.settings = key

    def update(self, scene, depsgraph):
        """Steps to the scene's frame, or starts anew if it is not the next one."""
        self._apply_settings(self.armature.sinew)
        self.body.set_pose(self._read_pose(depsgraph))
        frame = scene.frame_current
        if self.frame is not None and frame == self.frame + 1 and frame > scene.frame_start:
            self.body.step(self.seconds)
        elif frame != self.frame:
            self.body.reset()
            self.body.step(self.seconds)
        self.frame = frame
        modes = self.body.modes()
        for mesh in self.meshes:
            obj = bpy.data.objects.get(mesh.name)
            if obj and len(obj.data.vertices) == mesh.count:
                mesh.update(obj, modes, self)

    def write(self):
        """Writes the shape keys."""
        for mesh in self.meshes:
            obj = bpy.data.objects.get(mesh.name)
            if obj is None or obj.mode == "EDIT" or len(obj.data.vertices) != mesh.count:
                continue
            key = _key_of(obj)
            key.data.foreach_set("co", (mesh.rest + mesh.offsets).ravel())
            obj.data.update_tag()

    def clear(self):
        """Removes the shape keys of the preview."""
        for mesh in self.meshes:
            obj = bpy.data.objects.get(mesh.name)
            remove_key(obj, KEY)

    def bake(self, scene, error_bound, max_count):
        """Plays the scene's frames and replaces the preview by keyed shape keys. error_bound: of any vertex, as a fraction of
        the character's diagonal. Returns the number of keys of each mesh and the largest error reached."""
        frames = range(scene.frame_start, scene.frame_end + 1)
        recorded = {mesh.name: np.empty((len(frames), mesh.count, 3), np.float32) for mesh in self.meshes}
        self.frame = None
        before = scene.frame_current
        for index, frame in enumerate(frames):
            scene.frame_set(frame)
            self.update(scene, bpy.context.evaluated_depsgraph_get())
            for mesh in self.meshes:
                recorded[mesh.name][index] = mesh.offsets
        self.clear()
        counts, worst = {}, 0.0
        for mesh in self.meshes:
            obj = bpy.data.objects[mesh.name]
            length = self.model.diagonal / self.model.scale / np.linalg.norm(np.array(obj.matrix_world)[:3, 0])
            shapes, weights, error = compress(recorded[mesh.name], error_bound * length, max_count)
            _write_keys(obj, mesh, shapes, weights, frames)
            counts[mesh.name] = len(shapes)
            worst = max(worst, error / length)
        scene.frame_set(before)
        return counts, worst


def compress(offsets, error_bound, max_count):
    """The fewest shapes and weights (at most max_count) whose sum is within error_bound of (frames, vertices, 3) offsets at
    each vertex: shapes (count, vertices, 3), weights (frames, count) of at most 1, and the largest error. The shapes are
    the principal components of the offsets."""
    frame_count = len(offsets)
    flat = offsets.reshape(frame_count, -1).astype(float)
    values, vectors = np.linalg.eigh(flat @ flat.T)
    order = np.argsort(values)[::-1]
    order = order[values[order] > 1e-12 * max(values.max(), 1e-30)][:max_count]
    weights = vectors[:, order]
    shapes = weights.T @ flat  # the vectors are orthonormal
    low, high = 0, len(order)

    def error_of(count):
        rest = flat - weights[:, :count] @ shapes[:count]
        return float(np.sqrt((rest.reshape(frame_count, -1, 3) ** 2).sum(2).max(initial=0)))

    while low < high:
        middle = (low + high) // 2
        if error_of(middle) <= error_bound:
            high = middle
        else:
            low = middle + 1
    shapes, weights = shapes[:low], weights[:, :low]
    sizes = np.abs(weights).max(0, initial=0)
    return (shapes * sizes[:, None]).reshape(low, *offsets.shape[1:]), weights / np.maximum(sizes, 1e-30), error_of(low)


def _key_of(obj, name=KEY):
    if obj.data.shape_keys is None:
        obj.shape_key_add(name="Basis", from_mix=False)
    key = obj.data.shape_keys.key_blocks.get(name)
    if key is None:
        key = obj.shape_key_add(name=name, from_mix=False)
        key.slider_min, key.slider_max = -1, 1
        key.value = 1
    return key


def remove_key(obj, name):
    keys = obj.data.shape_keys if obj else None
    key = keys.key_blocks.get(name) if keys else None
    if key:
        obj.shape_key_remove(key)
        if obj.data.shape_keys and len(obj.data.shape_keys.key_blocks) == 1 and name == KEY:
            obj.shape_key_clear()


def _write_keys(obj, mesh, shapes, weights, frames):
    old = [key.name for key in obj.data.shape_keys.key_blocks if key.name.startswith("Flesh ")] if obj.data.shape_keys else []
    for name in old:
        remove_key(obj, name)
    for index, shape in enumerate(shapes):
        key = _key_of(obj, f"Flesh {index + 1}")
        key.data.foreach_set("co", (mesh.rest + shape).astype(np.float32).ravel())
        for frame, value in zip(frames, weights[:, index]):
            key.value = float(value)
            key.keyframe_insert("value", frame=frame)
