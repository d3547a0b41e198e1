# SPDX-License-Identifier: MIT
"""What tests/house/test_blender.sh runs: blender --background --python tests/test_blender.py -- FOLDER CHARACTER.glb. The
add-on is in FOLDER/package, the command sinew in PATH. Prints JSON; writes pictures into the folder."""

import json
import os
import sys

import bpy
import numpy as np

FOLDER, CHARACTER = sys.argv[sys.argv.index("--") + 1:]
sys.path.insert(0, os.path.join(FOLDER, "package"))
import sinew_flesh  # noqa: E402

result = {}


def evaluated(obj):
    """(vertices, 3) in the scene, as drawn."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    drawn = obj.evaluated_get(depsgraph)
    mesh = drawn.to_mesh()
    points = sinew_flesh.flesh._coordinates(mesh.vertices)
    drawn.to_mesh_clear()
    return sinew_flesh.flesh._apply(np.array(obj.matrix_world), points)


def render(name):
    bpy.context.scene.render.filepath = os.path.join(FOLDER, name)
    bpy.ops.render.render(write_still=True)


bpy.ops.wm.read_factory_settings(use_empty=True)
sinew_flesh.register()
bpy.ops.import_scene.gltf(filepath=CHARACTER)
scene = bpy.context.scene
scene.render.fps = 30
scene.frame_start, scene.frame_end = 1, 40
armature = next(obj for obj in scene.objects if obj.type == "ARMATURE")
armature.location, armature.rotation_mode = (2, -1, 0.5), "XYZ"
armature.rotation_euler = (0, 0, 0.6)
armature.scale = (1.5, 1.5, 1.5)
bpy.context.view_layer.objects.active = armature
if armature.animation_data and not armature.animation_data.action:
    armature.animation_data.action = bpy.data.actions[0]
armature.animation_data.nla_tracks.foreach_set("mute", [True] * len(armature.animation_data.nla_tracks))

# cook, as the button does
assert bpy.ops.sinew.cook() == {"FINISHED"}, "cooking failed"
properties = armature.sinew
result["parts"] = len(properties.parts)
assert properties.is_live

# preview: what Blender draws against the library's skin
flesh = sinew_flesh._live[armature.name]
result["unmatched"] = flesh.unmatched_count
worst = largest = 0.0
live, recorded = {}, {}
for frame in range(1, 41):
    scene.frame_set(frame)
    flesh = sinew_flesh._live[armature.name]
    skin = sinew_flesh.flesh._apply(flesh.blender_from_model, flesh.body.skin())
    diagonal = flesh.model.diagonal / flesh.model.scale
    for mesh in flesh.meshes:
        points = evaluated(bpy.data.objects[mesh.name])
        worst = max(worst, np.abs(points[mesh.found] - skin[mesh.vertices]).max() / diagonal)
        largest = max(largest, np.abs(mesh.offsets).max() * 1.5 / diagonal)
        live[frame, mesh.name] = points
result["error"], result["displacement"] = float(worst), float(largest)
camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
scene.collection.objects.link(camera)
scene.camera = camera
center = np.mean([live[1, mesh.name].mean(0) for mesh in flesh.meshes], 0)
camera.location = center + diagonal * np.array([0.9, -1.6, 0.4])
camera.rotation_euler = (1.4, 0, 0.51)
light = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
light.rotation_euler, light.data.energy = (0.6, 0.3, 0.4), 3
scene.collection.objects.link(light)
scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 8, False
scene.render.resolution_x = scene.render.resolution_y = 360
render("flesh.png")
properties.amount = 0
scene.frame_set(39)
scene.frame_set(40)
render("bones.png")
properties.amount = 1

# painted amplitude: none on the first mesh
first = bpy.data.objects[flesh.meshes[0].name]
bpy.context.view_layer.objects.active = first
assert bpy.ops.sinew.paint(group=sinew_flesh.AMPLITUDE_GROUP) == {"FINISHED"}
bpy.ops.object.mode_set(mode="OBJECT")
first.vertex_groups[sinew_flesh.AMPLITUDE_GROUP].add(range(len(first.data.vertices)), 0.0, "REPLACE")
properties.is_live = False
properties.is_live = True
for frame in range(1, 20):
    scene.frame_set(frame)
result["painted"] = float(np.abs(sinew_flesh._live[armature.name].meshes[0].offsets).max())
first.vertex_groups.remove(first.vertex_groups[sinew_flesh.AMPLITUDE_GROUP])
properties.is_live = False
result["keys_left"] = sum(obj.data.shape_keys is not None for obj in sinew_flesh.meshes_of(armature))

# bake: fewer keys for a larger error, and what is then drawn
properties.error_bound, properties.max_count = 0.01, 64
assert bpy.ops.sinew.bake() == {"FINISHED"}
result["coarse_keys"] = max(len(obj.data.shape_keys.key_blocks) - 1 for obj in sinew_flesh.meshes_of(armature) if obj.data.shape_keys)
properties.error_bound = 0.0005
assert bpy.ops.sinew.bake() == {"FINISHED"}
result["keys"] = max(len(obj.data.shape_keys.key_blocks) - 1 for obj in sinew_flesh.meshes_of(armature) if obj.data.shape_keys)
worst = 0.0
for frame in (1, 7, 20, 33, 40):
    scene.frame_set(frame)
    for mesh in flesh.meshes:
        worst = max(worst, np.linalg.norm(evaluated(bpy.data.objects[mesh.name]) - live[frame, mesh.name], axis=1).max() / diagonal)
result["baked_error"] = float(worst)
render("baked.png")

# bake to joints: a copy with further bones, whose skin is where the preview's was
for obj in sinew_flesh.meshes_of(armature):
    if obj.data.shape_keys:
        obj.shape_key_clear()
armature.location, armature.rotation_euler, armature.scale = (0, 0, 0), (0, 0, 0), (1, 1, 1)
properties.error_bound, properties.max_count = 0.003, 32
bpy.context.view_layer.update()
before = set(scene.objects)
bpy.context.view_layer.objects.active = armature
assert bpy.ops.sinew.cook() == {"FINISHED"}
for frame in range(1, 31):
    scene.frame_set(frame)
reference = np.concatenate([evaluated(bpy.data.objects[mesh.name]) for mesh in sinew_flesh._live[armature.name].meshes])
assert bpy.ops.sinew.bake_joints() == {"FINISHED"}
properties.is_live = False
copies = [obj for obj in scene.objects if obj not in before]
copy = next(obj for obj in copies if obj.type == "ARMATURE")
result["joints"] = len(copy.data.bones) - len(armature.data.bones)
scene.frame_set(30)
points = np.concatenate([evaluated(obj) for obj in copies if obj.type == "MESH" and obj.find_armature() == copy])
worst = 0.0
for point in reference[::7]:
    worst = max(worst, np.linalg.norm(points - point, axis=1).min())
result["joints_error"] = float(worst / np.linalg.norm(np.ptp(reference, 0)))

# a part's amplitude, by the command
bpy.context.view_layer.objects.active = armature
belly = next(index for index, part in enumerate(properties.parts) if part.name == "belly")
before = properties.parts[belly].amplitude
properties.parts[belly].amplitude = 0.7 * before
assert bpy.ops.sinew.tune() == {"FINISHED"}
result["tuned"] = properties.parts[belly].amplitude / before

# a missing command is an error with its name
os.environ["PATH"] = ""
try:
    bpy.context.view_layer.objects.active = armature
    bpy.ops.sinew.cook()
    result["missing"] = ""
except RuntimeError as error:
    result["missing"] = str(error)
sinew_flesh.unregister()
print("RESULT", json.dumps(result))
