# SPDX-License-Identifier: MIT
## Flesh for a character: add it to the scene of a model that the engine imported, and give it the cooked model.
##
## The character stays as it is: its meshes, materials, animations and skeleton modifiers work as before. Before each
## frame is drawn, the bones are read, the flesh takes its steps, and the vertex shaders move the skin.
@tool
@icon("res://addons/sinew/icon.svg")
class_name SinewFlesh
extends Node

## The result of `sinew cook` for the file of this character.
@export var model: SinewModel:
	set(value):
		model = value
		_attach_later()
## The root node of the imported character.
@export_node_path("Node3D") var character := NodePath(".."):
	set(value):
		character = value
		_attach_later()
## Whether the flesh lives in the editor, too.
@export var preview_in_editor := false:
	set(value):
		preview_in_editor = value
		_attach_later()

@export_group("Flesh")
## Factor on the displacement that is drawn. 0: the bones alone.
@export_range(0, 3, 0.01, "or_greater") var amount := 1.0:
	set(value):
		amount = value
		_has_new_parameters = true
## Factor on the stiffness.
@export_range(0.1, 10, 0.01, "or_greater", "exp") var stiffness := 1.0:
	set(value):
		stiffness = value
		_has_new_parameters = true
## Further damping, 1/s: motion relative to the bones decays by exp(-damping t).
@export_range(0, 20, 0.01, "or_greater") var damping := 0.0:
	set(value):
		damping = value
		_has_new_parameters = true
## Gravity, units/s². The shape of the file is the shape under gravity, so that only turning a body upside down shows it.
@export var gravity := Vector3.ZERO:
	set(value):
		gravity = value
		_has_new_parameters = true
## Velocity of the air, units/s.
@export var wind := Vector3.ZERO:
	set(value):
		wind = value
		_has_new_parameters = true

@export_group("Detail")
## Distances to the camera, in diagonals of the character, from which the flesh has half, a quarter and none of its modes.
@export var detail_distances := PackedFloat32Array([8, 20, 60])
## Colours the surface by how far the flesh moves it: from blue over green to red at a fiftieth of the diagonal.
@export var show_displacement := false:
	set(value):
		if value == show_displacement:
			return
		show_displacement = value
		for surface in _surfaces:
			_show_displacement(surface)

## Vertices of the character that the model does not have. They move with the bones alone.
var unmatched_count := 0

const _PIVOT_DISTANCE := 1e-3 # of the diagonal, between bones with other names
const _SAMPLE_COUNT := 200 # vertices that tell how a mesh is bound
const _MAX_TEXTURE_WIDTH := 4096 # texels

static var _all: Array[SinewFlesh] = []
static var _seconds := 0.0
static var _counted_frame := -1

## A surface of a mesh that has flesh, and its materials.
class FleshSurface:
	var mesh: MeshInstance3D
	var surface: int
	var texture: ImageTexture
	var material: ShaderMaterial
	var passes: Array[RID]
	var displacement: ShaderMaterial # the pass that shows it, or null

var _body: SinewBody
var _root: Node3D
var _scale := 1.0 # of the root
var _model_from_file := Transform3D()
var _model_from_scene := Transform3D()
var _skeletons: Array[Skeleton3D] = []
var _nodes := {} # bone of the model: [Node3D, from model units at bind to it]
var _surfaces: Array[FleshSurface] = []
var _morphs: Array = [] # for each morph target [MeshInstance3D, blend shape] or null
var _morph_weights := PackedFloat32Array()
var _has_new_parameters := true
var _has_new_pose := true
var _is_waiting := false
var _detail := 0


func _enter_tree() -> void:
	_attach_later()


func _exit_tree() -> void:
	detach()


func _process(delta: float) -> void:
	if _counted_frame != Engine.get_process_frames():
		_counted_frame = Engine.get_process_frames()
		_seconds += delta


func _attach_later() -> void:
	if is_inside_tree() and not _is_waiting:
		_is_waiting = true
		_attach_now.call_deferred()


func _attach_now() -> void:
	_is_waiting = false
	detach()
	if is_inside_tree() and model and (preview_in_editor or not Engine.is_editor_hint()):
		attach()


## Finds the character's meshes and bones in the model, and gives it flesh. Done by itself when the node enters the tree;
## call it again after meshes or materials of the character have changed. Returns false, with an error, where no vertex
## of the character is in the model.
func attach() -> bool:
	detach()
	_root = get_node_or_null(character) as Node3D
	if _root == null:
		push_error("sinew: %s: \"%s\" is no Node3D" % [get_path(), character])
		return false
	_body = SinewBody.new()
	if model == null or not _body.setup(model):
		_body = null
		push_error("sinew: %s has no model that can be stepped" % get_path())
		return false
	_scale = _root.global_basis.get_scale().y
	_model_from_file = Transform3D(Basis.from_scale(Vector3.ONE * model.get_scale()), -model.get_origin() * model.get_scale())
	_model_from_scene = _model_from_file * Transform3D(Basis.from_scale(Vector3.ONE / _scale), Vector3.ZERO)
	var bound: Array = [] # [mesh, from the mesh to the file at bind]
	var matched_count := 0
	unmatched_count = 0
	for mesh: MeshInstance3D in _root.find_children("*", "MeshInstance3D", true, false):
		if mesh.mesh and mesh.mesh.get_surface_count() > 0:
			var to_file := _find_bind(mesh)
			var found := _attach_mesh(mesh, to_file)
			matched_count += found
			if found > 0:
				bound.append([mesh, to_file])
	if matched_count == 0:
		detach()
		push_error(("sinew: %s: no vertex of \"%s\" is in the model: it was cooked from another file, or the import " +
			"scaled or changed the meshes") % [get_path(), _root.name if _root else ""])
		return false
	_match_bones(bound)
	_match_morphs(bound)
	_has_new_parameters = true
	_has_new_pose = true
	_detail = 0
	if _all.is_empty():
		RenderingServer.frame_pre_draw.connect(SinewFlesh.update)
	_all.append(self)
	return true


## Gives the character back as it was.
func detach() -> void:
	if self in _all:
		_all.erase(self)
		if _all.is_empty():
			RenderingServer.frame_pre_draw.disconnect(SinewFlesh.update)
	for surface in _surfaces:
		if is_instance_valid(surface.mesh):
			_restore_materials(surface.mesh)
	_surfaces.clear()
	_skeletons.clear()
	_nodes.clear()
	_morphs.clear()
	_body = null


## Puts the flesh to rest in the present pose: call it after the character jumps to another place.
func reset() -> void:
	_has_new_pose = true


## Pushes the skin nearest to a point of the scene: a hundredth of the flesh gets this velocity.
func poke(point: Vector3, velocity: Vector3) -> void:
	if _body:
		_body.poke(_model_from_scene * point, velocity * model.get_scale() / _scale)


## Grabs the skin nearest to a point of the scene. Returns a number for drag and let_go, or -1.
func grab(point: Vector3, max_distance: float) -> int:
	return _body.grab(_model_from_scene * point, max_distance * model.get_scale() / _scale) if _body else -1


func drag(grabbed: int, target: Vector3) -> void:
	if _body:
		_body.drag(grabbed, _model_from_scene * target)


func let_go(grabbed: int) -> void:
	if _body:
		_body.let_go(grabbed)


## Steps the flesh of all characters and gives it to the shaders. Called before each frame is drawn; a program that draws
## none, such as a test, calls it itself.
static func update() -> void:
	for flesh in _all:
		flesh._read_pose()
	SinewBody.step_all(_seconds)
	_seconds = 0.0
	for flesh in _all:
		flesh._write_output()


# ---- finding the character in the model ----

func _relative(node: Node3D) -> Transform3D:
	return _root.global_transform.affine_inverse() * node.global_transform


func _skeleton_of(mesh: MeshInstance3D) -> Skeleton3D:
	return mesh.get_node_or_null(mesh.skeleton) as Skeleton3D if mesh.skin else null


func _bone_of(skeleton: Skeleton3D, skin: Skin, bind: int) -> int:
	return skeleton.find_bone(skin.get_bind_name(bind)) if skin.get_bind_name(bind) else skin.get_bind_bone(bind)


## From the mesh to the file at bind: of the ways in which it may be bound that which puts most vertices into the model.
func _find_bind(mesh: MeshInstance3D) -> Transform3D:
	var candidates: Array[Transform3D] = []
	var skeleton := _skeleton_of(mesh)
	if skeleton:
		for bind in mesh.skin.get_bind_count():
			var bone := _bone_of(skeleton, mesh.skin, bind)
			if bone >= 0:
				candidates.append(_relative(skeleton) * skeleton.get_bone_global_rest(bone) * mesh.skin.get_bind_pose(bind))
		candidates.append(_relative(skeleton))
		candidates.append(Transform3D())
	candidates.append(_relative(mesh))
	var positions: PackedVector3Array = mesh.mesh.surface_get_arrays(0)[Mesh.ARRAY_VERTEX]
	var samples := PackedVector3Array()
	for v in range(0, positions.size(), maxi(1, positions.size() / _SAMPLE_COUNT)):
		samples.append(positions[v])
	var best := candidates[-1]
	var best_count := -1
	var tried: Array[Transform3D] = []
	for candidate in candidates:
		if tried.any(func(other: Transform3D) -> bool: return other.is_equal_approx(candidate)):
			continue
		tried.append(candidate)
		var found := model.find_vertices(samples, PackedVector3Array(), PackedVector2Array(), _model_from_file * candidate)
		var count := samples.size() - found.count(-1)
		if count > best_count:
			best = candidate
			best_count = count
		if count >= 0.99 * samples.size():
			break
	return best


## Gives the surfaces of a mesh materials with flesh. Returns how many of its vertices are in the model.
func _attach_mesh(mesh: MeshInstance3D, to_file: Transform3D) -> int:
	var to_model := _model_from_file * to_file
	var matched_count := 0
	var vertex_count := 0
	for surface in mesh.mesh.get_surface_count():
		var arrays := mesh.mesh.surface_get_arrays(surface)
		var positions: PackedVector3Array = arrays[Mesh.ARRAY_VERTEX]
		var normals: PackedVector3Array = arrays[Mesh.ARRAY_NORMAL] if arrays[Mesh.ARRAY_NORMAL] else PackedVector3Array()
		var uvs: PackedVector2Array = arrays[Mesh.ARRAY_TEX_UV] if arrays[Mesh.ARRAY_TEX_UV] else PackedVector2Array()
		var tangents: PackedFloat32Array = arrays[Mesh.ARRAY_TANGENT] if arrays[Mesh.ARRAY_TANGENT] else PackedFloat32Array()
		var vertices := model.find_vertices(positions, normals, uvs, to_model)
		var found := positions.size() - vertices.count(-1)
		vertex_count += positions.size()
		matched_count += found
		if found > 0:
			_attach_surface(mesh, surface, _surface_texture(vertices, tangents, to_model), not tangents.is_empty())
	unmatched_count += vertex_count - matched_count
	if matched_count > 0 and matched_count < vertex_count:
		push_warning("sinew: mesh \"%s\": %d of %d vertices are not in the model and move with the bones alone" % [
			mesh.name, vertex_count - matched_count, vertex_count])
	return matched_count


func _surface_texture(vertices: PackedInt32Array, tangents: PackedFloat32Array, to_model: Transform3D) -> ImageTexture:
	var texel_count := vertices.size() * (model.get_mode_count() + 3)
	var width := mini(texel_count, _MAX_TEXTURE_WIDTH)
	var height := ceili(float(texel_count) / width)
	var texels := model.pack_surface(vertices, tangents, to_model)
	texels.resize(16 * width * height)
	var image := Image.create_from_data(width, height, false, Image.FORMAT_RGBAF, texels)
	image.convert(Image.FORMAT_RGBAH)
	return ImageTexture.create_from_image(image)


func _attach_surface(mesh: MeshInstance3D, index: int, texture: ImageTexture, has_tangents: bool) -> void:
	var row_count := 3 * model.get_mode_count()
	var surface := FleshSurface.new()
	surface.mesh = mesh
	surface.surface = index
	surface.texture = texture
	surface.material = SinewMaterials.with_flesh(mesh.get_active_material(index), row_count, has_tangents)
	if surface.material == null:
		return
	var shader_pass: Material = surface.material
	while shader_pass:
		_add_pass(surface, shader_pass)
		shader_pass = shader_pass.next_pass
	if show_displacement:
		_show_displacement(surface)
	# The server's own list, so that the node, and the scene that is saved, keep their materials.
	RenderingServer.instance_geometry_set_material_override(mesh.get_instance(), RID())
	RenderingServer.instance_set_surface_override_material(mesh.get_instance(), index, surface.material.get_rid())
	_surfaces.append(surface)


func _add_pass(surface: FleshSurface, material: Material) -> void:
	surface.passes.append(material.get_rid())
	RenderingServer.material_set_param(material.get_rid(), "sinew_surface", surface.texture.get_rid())
	RenderingServer.material_set_param(material.get_rid(), "sinew_lengths", Vector2(_scale / model.get_scale(), model.get_diagonal()))


func _show_displacement(surface: FleshSurface) -> void:
	var last: ShaderMaterial = surface.material
	while last.next_pass and last.next_pass != surface.displacement:
		last = last.next_pass
	if show_displacement:
		surface.displacement = SinewMaterials.displacement(3 * model.get_mode_count())
		last.next_pass = surface.displacement
		_add_pass(surface, surface.displacement)
	elif surface.displacement:
		last.next_pass = null
		surface.passes.erase(surface.displacement.get_rid())
		surface.displacement = null


func _restore_materials(mesh: MeshInstance3D) -> void:
	RenderingServer.instance_geometry_set_material_override(mesh.get_instance(),
		mesh.material_override.get_rid() if mesh.material_override else RID())
	for surface in mesh.get_surface_override_material_count():
		var material := mesh.get_surface_override_material(surface)
		RenderingServer.instance_set_surface_override_material(mesh.get_instance(), surface, material.get_rid() if material else RID())


## Finds what carries each bone: the bone of a skeleton, or the node, that has its name, or the nearest one to its pivot
## among those that the file gives other names. A bone without any follows its parent.
func _match_bones(bound: Array) -> void:
	var carriers: Array[Dictionary] = []
	var file_from_model := _model_from_file.affine_inverse()
	var binds := {} # [skeleton, bone]: from the file to the bone
	for pair: Array in bound:
		var mesh: MeshInstance3D = pair[0]
		var skeleton := _skeleton_of(mesh)
		if skeleton:
			for bind in mesh.skin.get_bind_count():
				binds[[skeleton, _bone_of(skeleton, mesh.skin, bind)]] = mesh.skin.get_bind_pose(bind) * (pair[1] as Transform3D).affine_inverse()
	for skeleton: Skeleton3D in _root.find_children("*", "Skeleton3D", true, false):
		_skeletons.append(skeleton)
		for bone in skeleton.get_bone_count():
			var bind: Transform3D = binds.get([skeleton, bone], (_relative(skeleton) * skeleton.get_bone_global_rest(bone)).affine_inverse())
			carriers.append({name = skeleton.get_bone_name(bone), skeleton = _skeletons.size() - 1, bone = bone, bind = bind * file_from_model})
	for node: Node3D in _root.find_children("*", "Node3D", true, false):
		carriers.append({name = String(node.name), node = node, bind = _relative(node).affine_inverse() * file_from_model})
	for carrier in carriers:
		carrier.pivot = (carrier.bind as Transform3D).affine_inverse().origin
	var used := {}
	var followers := {} # bones that nothing carries
	for bone in model.get_bone_count():
		var name := model.get_bone_name(bone)
		var node_name := name.validate_node_name()
		var bone_name := name.replace(":", "_").replace("/", "_")
		var pivot := model.get_bone_pivot(bone)
		var best := {}
		var best_distance := INF
		for is_named: bool in [true, false]:
			for carrier in carriers:
				var distance: float = (carrier.pivot as Vector3).distance_to(pivot)
				var is_candidate: bool = carrier.name == (node_name if carrier.has("node") else bone_name) if is_named else (
					not used.has(carrier) and distance < _PIVOT_DISTANCE * model.get_diagonal())
				if is_candidate and distance < best_distance:
					best = carrier
					best_distance = distance
			if not best.is_empty():
				break
		used[best] = true
		if best.has("node"):
			_nodes[bone] = [best.node, best.bind]
		elif best.has("skeleton"):
			_body.set_joint(bone, best.skeleton, best.bone, best.bind)
		else:
			followers[bone] = true
	for bone: int in followers:
		_follow(bone, followers)


## A bone that the engine's import lost moves as its nearest ancestor that is there, or as the root.
func _follow(bone: int, followers: Dictionary) -> void:
	var ancestor: int = bone
	while ancestor >= 0 and followers.has(ancestor):
		ancestor = model.get_bone_parent(ancestor)
	if ancestor < 0:
		_nodes[bone] = [_root, _model_from_file.affine_inverse()]
	elif _nodes.has(ancestor):
		_nodes[bone] = _nodes[ancestor]
	else:
		_body.copy_joint(bone, ancestor)


func _match_morphs(bound: Array) -> void:
	var used := {}
	_morph_weights.resize(model.get_morph_count())
	for morph in model.get_morph_count():
		var name := model.get_morph_name(morph)
		var owners := bound.map(func(pair: Array) -> MeshInstance3D: return pair[0]).filter(
			func(mesh: MeshInstance3D) -> bool: return mesh.find_blend_shape_by_name(name) >= 0)
		var turn: int = used.get(name, 0) # a name may repeat, once a mesh
		used[name] = turn + 1
		var mesh: MeshInstance3D = owners[mini(turn, owners.size() - 1)] if owners else null
		_morphs.append([mesh, mesh.find_blend_shape_by_name(name)] if mesh else null)


# ---- each frame ----

func _read_pose() -> void:
	if not is_instance_valid(_root):
		return
	for index in _skeletons.size():
		if is_instance_valid(_skeletons[index]):
			_body.read_skeleton(index, _skeletons[index], _model_from_scene * _skeletons[index].global_transform)
	for bone: int in _nodes:
		var node: Node3D = _nodes[bone][0]
		if is_instance_valid(node):
			_body.set_pose(bone, _model_from_scene * node.global_transform * _nodes[bone][1])
	_body.apply_pose()
	if not _morphs.is_empty():
		for morph in _morphs.size():
			if _morphs[morph] and is_instance_valid(_morphs[morph][0]):
				_morph_weights[morph] = _morphs[morph][0].get_blend_shape_value(_morphs[morph][1])
		_body.set_morphs(_morph_weights)
	if _has_new_parameters:
		_has_new_parameters = false
		var lengths := model.get_scale() / _scale
		_body.set_parameters(amount, stiffness, damping, gravity * lengths, wind * lengths)
	_choose_detail()
	if _has_new_pose:
		_has_new_pose = false
		_body.reset()


func _choose_detail() -> void:
	var camera := get_viewport().get_camera_3d() if is_inside_tree() else null
	if camera == null or detail_distances.is_empty():
		return
	var distance := camera.global_position.distance_to(_root.global_position) / (model.get_diagonal() / model.get_scale() * _scale)
	var detail := 0
	for limit in detail_distances:
		detail += 1 if distance > limit else 0
	if detail != _detail:
		_detail = detail
		_body.set_detail(maxi(1, model.get_mode_count() >> detail), mini(detail, model.get_level_count() - 1))


func _write_output() -> void:
	if _body == null:
		return
	var modes := _body.get_modes()
	if _detail >= 3:
		modes.fill(Vector4.ZERO)
	for surface in _surfaces:
		if not is_instance_valid(surface.mesh):
			continue
		var back := surface.mesh.global_basis.inverse() * (_scale / model.get_scale())
		for shader_pass in surface.passes:
			RenderingServer.material_set_param(shader_pass, "sinew_modes", modes)
			RenderingServer.material_set_param(shader_pass, "sinew_to_mesh_x", Vector4(back.x.x, back.x.y, back.x.z, 0))
			RenderingServer.material_set_param(shader_pass, "sinew_to_mesh_y", Vector4(back.y.x, back.y.y, back.y.z, 0))
			RenderingServer.material_set_param(shader_pass, "sinew_to_mesh_z", Vector4(back.z.x, back.z.y, back.z.z, 0))
