# SPDX-License-Identifier: MIT
"""Flesh for rigged characters: cook, preview on the timeline, paint, and bake to shape keys."""

import json
import os
import subprocess
import tempfile

import bpy
from bpy.app.handlers import persistent
from bpy.props import (BoolProperty, CollectionProperty, FloatProperty, FloatVectorProperty, IntProperty, PointerProperty,
                       StringProperty)

from . import flesh as flesh_module
from .flesh import AMPLITUDE_GROUP, STIFFNESS_GROUP, Flesh, in_model_units, meshes_of, remember_bind
from .library import Model, SinewError

_live = {}  # armature name: Flesh


def _armature_of(context):
    obj = context.object
    if obj and obj.type == "MESH":
        obj = obj.find_armature()
    return obj if obj and obj.type == "ARMATURE" else None


def _command():
    addon = bpy.context.preferences.addons.get(__package__)
    return addon.preferences.command if addon else "sinew"


# ---- preview ----

def start(armature):
    """Gives the armature flesh; raises SinewError, OSError or ValueError."""
    stop(armature)
    _live[armature.name] = Flesh(armature, armature.sinew.model_path)
    return _live[armature.name]


def stop(armature):
    flesh = _live.pop(armature.name, None)
    if flesh:
        flesh.clear()
    else:  # a preview that was saved with the file
        for obj in meshes_of(armature):
            flesh_module.remove_key(obj, flesh_module.KEY)


@persistent
def _on_frame(scene, depsgraph=None):
    for armature in [obj for obj in scene.objects if obj.type == "ARMATURE" and obj.sinew.is_live]:
        try:
            flesh = _live.get(armature.name) or start(armature)
            flesh.update(scene, depsgraph or bpy.context.evaluated_depsgraph_get())
            flesh.write()
        except (SinewError, OSError, ValueError) as error:
            print(f"sinew: {armature.name}: {error}")
            armature.sinew.is_live = False


@persistent
def _on_load(*_):
    _live.clear()


def _on_live_changed(properties, context):
    armature = properties.id_data
    if properties.is_live:
        _on_frame(context.scene)
    else:
        stop(armature)


# ---- properties ----

class SinewPart(bpy.types.PropertyGroup):
    frequency: FloatProperty(name="Frequency")
    amplitude: FloatProperty(name="Amplitude", description="Motion of the skin in a walk, fraction of the height", min=0,
                             max=0.2, step=0.1, precision=4)
    cooked: FloatProperty()


class SinewProperties(bpy.types.PropertyGroup):
    model_path: StringProperty(name="Model", subtype="FILE_PATH", description="The cooked model, a .sinew file")
    is_live: BoolProperty(name="Preview", description="Show the flesh on the timeline", update=_on_live_changed)
    amount: FloatProperty(name="Amount", default=1, min=0, soft_max=3, description="Factor on the displacement")
    stiffness: FloatProperty(name="Stiffness", default=1, min=0.01, soft_max=10, description="Factor on the stiffness")
    damping: FloatProperty(name="Damping", default=0, min=0, soft_max=20, description="Further damping, 1/s")
    gravity: FloatVectorProperty(name="Gravity", subtype="ACCELERATION", description="Its change against the rest pose acts")
    wind: FloatVectorProperty(name="Wind", subtype="VELOCITY")
    parts: CollectionProperty(type=SinewPart)
    error_bound: FloatProperty(name="Error", default=0.001, min=1e-5, max=0.1, precision=4,
                               description="Largest error of a vertex, fraction of the character's diagonal")
    max_count: IntProperty(name="Max keys or joints", default=32, min=1, max=256)


class SinewPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__
    command: StringProperty(name="Command", default="sinew", subtype="FILE_PATH", description="The command sinew, which cooks")

    def draw(self, _context):
        self.layout.prop(self, "command")


# ---- cooking ----

def _model_path(armature):
    if armature.sinew.model_path:
        return bpy.path.abspath(armature.sinew.model_path)
    name = bpy.path.clean_name(armature.name) + ".sinew"
    return bpy.path.abspath("//" + name) if bpy.data.filepath else os.path.join(tempfile.gettempdir(), name)


def _write_painted(obj):
    """The vertex group as the attribute that the cook reads: a factor from a tenth to ten, 1 outside of the group."""
    group = obj.vertex_groups.get(STIFFNESS_GROUP)
    if group is None:
        return False
    attribute = obj.data.attributes.new("_SINEW_STIFFNESS", "FLOAT", "POINT")
    values = [1.0] * len(obj.data.vertices)
    for vertex in obj.data.vertices:
        for element in vertex.groups:
            if element.group == group.index:
                values[vertex.index] = 10.0 ** (2 * element.weight - 1)
    attribute.data.foreach_set("value", values)
    return True


def export(context, armature, path, animation_mode="ACTIONS"):
    """Writes the character as a .glb in its rest pose, with its animations and painted factors. animation_mode: of the
    exporter; ACTIVE_ACTIONS is what the timeline plays."""
    stop(armature)
    meshes = meshes_of(armature)
    painted = [obj for obj in meshes if _write_painted(obj)]
    selected = [obj for obj in context.view_layer.objects if obj.select_get()]
    active = context.view_layer.objects.active
    try:
        bpy.ops.object.select_all(action="DESELECT")
        for obj in [armature, *meshes]:
            obj.select_set(True)
        bpy.ops.export_scene.gltf(filepath=path, export_format="GLB", use_selection=True, export_attributes=True,
                                  export_yup=True, export_apply=False, export_morph_normal=False,
                                  export_animation_mode=animation_mode)
    finally:
        for obj in painted:
            obj.data.attributes.remove(obj.data.attributes["_SINEW_STIFFNESS"])
        bpy.ops.object.select_all(action="DESELECT")
        for obj in selected:
            obj.select_set(True)
        context.view_layer.objects.active = active


class SINEW_OT_cook(bpy.types.Operator):
    bl_idname = "sinew.cook"
    bl_label = "Cook"
    bl_description = "Make the model of the selected character's flesh"

    _process = _timer = None

    @classmethod
    def poll(cls, context):
        return _armature_of(context) is not None and context.mode == "OBJECT"

    def _start(self, context):
        armature = _armature_of(context)
        self._armature = armature.name
        self._folder = tempfile.TemporaryDirectory()
        self._output = _model_path(armature)
        character = os.path.join(self._folder.name, "character.glb")
        armature.sinew.is_live = False
        export(context, armature, character)
        remember_bind(armature)
        self._log = open(os.path.join(self._folder.name, "log"), "w+", encoding="utf-8", errors="replace")
        try:
            self._process = subprocess.Popen([_command(), "cook", character, "-o", self._output], stdout=self._log,
                                             stderr=subprocess.STDOUT)
        except OSError as error:
            self.report({"ERROR"}, f"{_command()}: {error.strerror}: set the command's path in the add-on's preferences")
            return False
        return True

    def _finish(self, context):
        self._log.seek(0)
        output = self._log.read()
        self._log.close()
        self._folder.cleanup()
        if self._process.returncode != 0:
            self.report({"ERROR"}, output.strip() or f"sinew ended with status {self._process.returncode}")
            return {"CANCELLED"}
        print(output)
        armature = bpy.data.objects[self._armature]
        armature.sinew.model_path = bpy.path.relpath(self._output) if bpy.data.filepath else self._output
        read_parts(armature)
        armature.sinew.is_live = True
        return {"FINISHED"}

    def execute(self, context):
        if not self._start(context):
            return {"CANCELLED"}
        self._process.wait()
        return self._finish(context)

    def invoke(self, context, _event):
        if not self._start(context):
            return {"CANCELLED"}
        self._timer = context.window_manager.event_timer_add(0.2, window=context.window)
        context.window_manager.modal_handler_add(self)
        context.window.cursor_set("WAIT")
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self._process.kill()
        if self._process.poll() is None:
            return {"PASS_THROUGH"}
        context.window_manager.event_timer_remove(self._timer)
        context.window.cursor_set("DEFAULT")
        return self._finish(context)


# ---- parts ----

def _run(*arguments):
    try:
        done = subprocess.run([_command(), *arguments], capture_output=True, text=True, check=False)
    except OSError as error:
        raise SinewError(f"{_command()}: {error.strerror}: set the command's path in the add-on's preferences") from error
    if done.returncode != 0:
        raise SinewError(done.stderr.strip() or f"sinew ended with status {done.returncode}")
    return done.stdout


def read_parts(armature):
    """Fills the list of soft parts from the model; it has none if its flesh is not anchored to a skeleton."""
    armature.sinew.parts.clear()
    try:
        parts = json.loads(_run("tune", bpy.path.abspath(armature.sinew.model_path), "--json"))["parts"]
    except SinewError as error:
        print(f"sinew: {error}")
        return
    for part in parts:
        if part["rigid"]:
            continue
        item = armature.sinew.parts.add()
        item.name = part["name"]
        item.frequency = part["frequency"]
        item.amplitude = item.cooked = part["amplitude"]


class SINEW_OT_tune(bpy.types.Operator):
    bl_idname = "sinew.tune"
    bl_label = "Apply"
    bl_description = "Change the amplitudes of the parts in the model"

    @classmethod
    def poll(cls, context):
        armature = _armature_of(context)
        return armature is not None and any(part.amplitude != part.cooked for part in armature.sinew.parts)

    def execute(self, context):
        armature = _armature_of(context)
        path = bpy.path.abspath(armature.sinew.model_path)
        was_live = armature.sinew.is_live
        armature.sinew.is_live = False
        try:
            for part in armature.sinew.parts:
                if part.amplitude != part.cooked:
                    _run("tune", path, "--part", part.name, "--amplitude", f"{part.amplitude:g}")
            read_parts(armature)
        except SinewError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        finally:
            armature.sinew.is_live = was_live
        return {"FINISHED"}


# ---- painting ----

class SINEW_OT_paint(bpy.types.Operator):
    bl_idname = "sinew.paint"
    bl_label = "Paint"
    bl_description = "Paint a vertex group of the active mesh"

    group: StringProperty()

    @classmethod
    def poll(cls, context):
        return context.object and context.object.type == "MESH" and _armature_of(context) is not None

    def execute(self, context):
        obj = context.object
        group = obj.vertex_groups.get(self.group)
        if group is None:
            group = obj.vertex_groups.new(name=self.group)
            group.add(range(len(obj.data.vertices)), 1.0 if self.group == AMPLITUDE_GROUP else 0.5, "REPLACE")
        obj.vertex_groups.active_index = group.index
        bpy.ops.object.mode_set(mode="WEIGHT_PAINT")
        return {"FINISHED"}


# ---- baking ----

class SINEW_OT_bake(bpy.types.Operator):
    bl_idname = "sinew.bake"
    bl_label = "Bake to shape keys"
    bl_description = "Replace the preview by keyed shape keys, as many as the error allows, for every program that reads them"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        armature = _armature_of(context)
        return armature is not None and armature.sinew.model_path != "" and context.mode == "OBJECT"

    def execute(self, context):
        armature = _armature_of(context)
        properties = armature.sinew
        properties.is_live = False
        try:
            counts, error = Flesh(armature, properties.model_path).bake(context.scene, properties.error_bound,
                                                                        properties.max_count)
        except (SinewError, OSError, ValueError) as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        level = "INFO" if error <= properties.error_bound else "WARNING"
        self.report({level}, f"{sum(counts.values())} shape keys, largest error {error:.5f} of the diagonal")
        return {"FINISHED"}


class SINEW_OT_bake_joints(bpy.types.Operator):
    bl_idname = "sinew.bake_joints"
    bl_label = "Bake to joints"
    bl_description = "Import a copy of the character whose flesh is moved by further bones, as few as the error allows"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return SINEW_OT_bake.poll(context)

    def execute(self, context):
        armature = _armature_of(context)
        properties = armature.sinew
        model = bpy.path.abspath(properties.model_path)
        with tempfile.TemporaryDirectory() as folder:
            motion, baked = os.path.join(folder, "motion.glb"), os.path.join(folder, "baked.glb")
            try:
                export(context, armature, motion, "ACTIVE_ACTIONS")
                options = ["--amount", f"{properties.amount:g}", "--stiffness", f"{properties.stiffness:g}",
                           "--damping", f"{properties.damping:g}"]
                for name in ("gravity", "wind"):
                    vector = in_model_units(Model(model), getattr(properties, name))
                    options += [f"--{name}", ",".join(f"{value:g}" for value in vector)]
                count = min(8, properties.max_count)
                while True:
                    report = json.loads(_run("bake", model, "--motion", motion, "--joints", str(count), *options, "--json",
                                             "-o", baked))
                    error = max(report["error"], report["error_between"])
                    if error <= properties.error_bound or count == properties.max_count:
                        break
                    count = min(2 * count, properties.max_count)
                before = set(bpy.data.objects)
                bpy.ops.import_scene.gltf(filepath=baked)
                for obj in set(bpy.data.objects) - before:
                    obj.name = f"{obj.name} baked"
            except (SinewError, OSError) as problem:
                self.report({"ERROR"}, str(problem))
                return {"CANCELLED"}
        self.report({"INFO" if error <= properties.error_bound else "WARNING"},
                    f"{count} joints, largest error {error:.5f} of the diagonal")
        return {"FINISHED"}


# ---- panel ----

class SINEW_PT_flesh(bpy.types.Panel):
    bl_label = "Flesh"
    bl_category = "Sinew"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        armature = _armature_of(context)
        if armature is None:
            layout.label(text="Select a rigged character")
            return
        properties = armature.sinew
        layout.prop(properties, "model_path")
        layout.operator("sinew.cook")
        if not properties.model_path:
            return
        layout.prop(properties, "is_live", toggle=True)
        flesh = _live.get(armature.name)
        if flesh and flesh.unmatched_count:
            layout.label(text=f"{flesh.unmatched_count} vertices are not in the model", icon="ERROR")
        for name in ("amount", "stiffness", "damping", "gravity", "wind"):
            layout.prop(properties, name)
        if properties.parts:
            layout.label(text="Amplitude of the parts")
            for part in properties.parts:
                layout.prop(part, "amplitude", text=part.name)
            layout.operator("sinew.tune")
        layout.label(text="Bake")
        layout.prop(properties, "error_bound")
        layout.prop(properties, "max_count")
        layout.operator("sinew.bake")
        layout.operator("sinew.bake_joints")


class SINEW_PT_paint(bpy.types.Panel):
    bl_label = "Paint"
    bl_category = "Sinew"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"

    @classmethod
    def poll(cls, context):
        return SINEW_OT_paint.poll(context)

    def draw(self, _context):
        layout = self.layout
        layout.operator("sinew.paint", text="Amplitude").group = AMPLITUDE_GROUP
        layout.operator("sinew.paint", text="Stiffness").group = STIFFNESS_GROUP
        layout.label(text="Stiffness: 0.5 keeps it; cook again")


_classes = (SinewPart, SinewProperties, SinewPreferences, SINEW_OT_cook, SINEW_OT_tune, SINEW_OT_paint, SINEW_OT_bake,
            SINEW_OT_bake_joints, SINEW_PT_flesh, SINEW_PT_paint)


def register():
    for cls in _classes:
        bpy.utils.register_class(cls)
    bpy.types.Object.sinew = PointerProperty(type=SinewProperties)
    bpy.app.handlers.frame_change_post.append(_on_frame)
    bpy.app.handlers.load_post.append(_on_load)


def unregister():
    bpy.app.handlers.frame_change_post.remove(_on_frame)
    bpy.app.handlers.load_post.remove(_on_load)
    _live.clear()
    del bpy.types.Object.sinew
    for cls in reversed(_classes):
        bpy.utils.unregister_class(cls)
