# SPDX-License-Identifier: MIT
## What tests/house/test_godot.sh runs: godot --script res://tests/test.gd -- COMMAND ARGUMENTS. Prints JSON.
extends SceneTree

const STEP := 1.0 / 60

# Draws each vertex as a pixel, whose colour has 12 bits of one of its numbers: 4 bits a channel, so that the conversion
# to sRGB loses none.
const PROBE := "shader_type spatial;
render_mode unshaded, cull_disabled, depth_test_disabled, shadows_disabled, fog_disabled;
uniform int number; // 0: its index; 1 to 6: halves of its position; 7 to 9: its normal
uniform vec3 low;
uniform float size;
uniform vec2 pixels;
varying flat int digits;
void vertex() {
	vec3 place = ((MODEL_MATRIX * vec4(VERTEX, 1.0)).xyz - low) / size;
	vec3 direction = 0.5 + 0.5 * normalize(MODEL_NORMAL_MATRIX * NORMAL);
	if (number == 0) {
		digits = VERTEX_ID;
	} else if (number <= 6) {
		int value = int(clamp(place[(number - 1) / 2], 0.0, 1.0) * 16777215.0);
		digits = (number - 1) % 2 == 0 ? value / 4096 : value % 4096;
	} else {
		digits = int(direction[number - 7] * 4095.0);
	}
	int row = VERTEX_ID / int(pixels.x);
	POSITION = vec4((vec2(float(VERTEX_ID - row * int(pixels.x)), float(row)) + 0.5) / pixels * 2.0 - 1.0, 0.5, 1.0);
	POINT_SIZE = 1.0;
}
void fragment() {
	ALBEDO = vec3(float(digits / 256 % 16), float(digits / 16 % 16), float(digits % 16)) / 15.0;
}
"


func _initialize() -> void:
	_run.call_deferred(OS.get_cmdline_user_args())


func _run(arguments: PackedStringArray) -> void:
	var result := {}
	paused = true # frames take no time
	match arguments[0]:
		"clip":
			result = _play_clip(load(arguments[1]))
		"compare":
			result = await _compare(arguments[1], float(arguments[2]))
		"draw":
			result = await _draw(arguments[1], arguments[2])
		"crowd":
			result = await _play_crowd(arguments[1], int(arguments[2]), arguments[3])
		"refuse":
			result = _refuse(arguments[1], load(arguments[2]))
	print("RESULT ", JSON.stringify(result, "", true, true))
	await process_frame
	quit()


## What tests/house/platforms/largest_mode.c prints.
func _play_clip(model: SinewModel) -> Dictionary:
	var body := SinewBody.new()
	var largest := 0.0
	if not body.setup(model):
		return {}
	for frame in 240:
		body.set_clip_pose(0, frame / 60.0)
		body.apply_pose()
		if frame == 0:
			body.reset()
		SinewBody.step_all(STEP)
		for row: Vector4 in body.get_modes():
			var sizes := row.abs()
			largest = maxf(largest, sizes[sizes.max_axis_index()])
	return {largest = largest}


func _add(path: String) -> Node3D:
	var scene: Node3D = load(path).instantiate()
	root.add_child(scene)
	return scene


func _flesh_of(scene: Node3D) -> SinewFlesh:
	return scene.find_children("*", "SinewFlesh", true, false)[0]


func _meshes_of(scene: Node3D) -> Array[Node]:
	return scene.find_children("*", "MeshInstance3D", true, false)


func _bounds_of(scene: Node3D) -> AABB:
	var bounds: Array = _meshes_of(scene).map(func(mesh: MeshInstance3D) -> AABB: return mesh.global_transform * mesh.get_aabb())
	return bounds.reduce(func(a: AABB, b: AABB) -> AABB: return a.merge(b), bounds[0])


func _update(seconds: float) -> void:
	SinewFlesh._seconds = seconds
	SinewFlesh.update()


## Draws a frame without a step of time.
func _frame() -> Image:
	for i in 2: # the first one attaches what is waiting
		await process_frame
	await RenderingServer.frame_post_draw
	return root.get_texture().get_image()


func _animate(scene: Node3D, frame_count: int) -> void:
	var players := scene.find_children("*", "AnimationPlayer", true, false)
	for player: AnimationPlayer in players:
		player.callback_mode_process = AnimationMixer.ANIMATION_CALLBACK_MODE_PROCESS_MANUAL
		player.play(player.get_animation_list()[0])
	var length := _bounds_of(scene).size.length()
	for frame in frame_count:
		for player: AnimationPlayer in players:
			player.advance(STEP)
		scene.position.y = 0.06 * length * absf(sin(0.2 * frame))
		_update(STEP)


func _add_camera(bounds: AABB) -> void:
	var length := bounds.size.length()
	var camera := Camera3D.new()
	root.add_child(camera)
	camera.fov = 35
	camera.near = 0.01 * length
	camera.far = 20 * length
	camera.look_at_from_position(bounds.get_center() + Vector3(0.5, 0.2, 1.6) * length, bounds.get_center())
	var light := DirectionalLight3D.new()
	light.shadow_enabled = true
	light.directional_shadow_max_distance = 5 * length
	light.rotation_degrees = Vector3(-45, 30, 0)
	root.add_child(light)
	var environment := WorldEnvironment.new()
	environment.environment = Environment.new()
	environment.environment.background_mode = Environment.BG_COLOR
	environment.environment.background_color = Color.BLACK
	environment.environment.ambient_light_source = Environment.AMBIENT_SOURCE_COLOR
	environment.environment.ambient_light_color = Color.WHITE
	environment.environment.ambient_light_energy = 0.4
	root.add_child(environment)


## The vertices that the engine draws against those of the library, as fractions of the diagonal, and normals in degrees.
func _compare(path: String, scale: float) -> Dictionary:
	var scene := _add(path)
	var flesh := _flesh_of(scene)
	scene.scale = Vector3.ONE * scale
	scene.position = Vector3(3, 0, -2)
	scene.rotation.y = 0.0 if scale == 1.0 else 2.5
	var meshes := _meshes_of(scene)
	for mesh: MeshInstance3D in meshes:
		mesh.mesh = _points_of(mesh.mesh)
		mesh.extra_cull_margin = 16384
		for surface in mesh.mesh.get_surface_count():
			var material := ShaderMaterial.new()
			material.shader = Shader.new()
			material.shader.code = PROBE
			mesh.set_surface_override_material(surface, material)
	await process_frame
	await process_frame
	_animate(scene, 60)
	var bounds := _bounds_of(scene).grow(0.5 * _bounds_of(scene).size.length())
	_add_camera(bounds)
	var expected := flesh._body.skin(false)
	var expected_normals := flesh._body.skin(true)
	var to_scene := flesh._model_from_scene.affine_inverse()
	var diagonal: float = flesh.model.get_diagonal() / flesh.model.get_scale() * scale
	var error := 0.0
	var normal_error := 0.0
	var count := 0
	var moved := 0.0
	for surface in flesh._surfaces:
		for mesh: MeshInstance3D in meshes:
			mesh.visible = mesh == surface.mesh
		var arrays := surface.mesh.mesh.surface_get_arrays(surface.surface)
		var vertices: PackedInt32Array = flesh.model.find_vertices(arrays[Mesh.ARRAY_VERTEX], arrays[Mesh.ARRAY_NORMAL],
			arrays[Mesh.ARRAY_TEX_UV], flesh._model_from_file * flesh._find_bind(surface.mesh))
		for other in flesh._surfaces: # draw this one alone
			RenderingServer.material_set_param(other.passes[0], "size", bounds.size[bounds.size.max_axis_index()])
			RenderingServer.material_set_param(other.passes[0], "low", bounds.position)
			RenderingServer.material_set_param(other.passes[0], "pixels",
				Vector2(root.size) if other == surface else Vector2(1e-6, 1e-6))
		var numbers: Array[PackedInt32Array] = []
		for number in 10:
			RenderingServer.material_set_param(surface.passes[0], "number", number)
			numbers.append(_digits(await _frame()))
		var pixels_of_vertices := _pixels_of(numbers[0], vertices.size())
		var size: float = bounds.size[bounds.size.max_axis_index()]
		for v in vertices.size():
			if vertices[v] < 0:
				continue
			var at := pixels_of_vertices[v]
			var position := bounds.position
			var normal := Vector3()
			for axis in 3:
				position[axis] += size * (numbers[1 + 2 * axis][at] * 4096 + numbers[2 + 2 * axis][at]) / 16777215.0
				normal[axis] = numbers[7 + axis][at] / 4095.0 * 2 - 1
			error = maxf(error, position.distance_to(to_scene * expected[vertices[v]]) / diagonal)
			normal_error += rad_to_deg(normal.angle_to(to_scene.basis * expected_normals[vertices[v]]))
			count += 1
	for row in flesh._body.get_modes():
		moved = maxf(moved, absf(row.w))
	return {error = error, normal_error = normal_error / count, compared = count, unmatched = flesh.unmatched_count, moved = moved}


func _points_of(mesh: Mesh) -> ArrayMesh:
	var result := ArrayMesh.new()
	for surface in mesh.get_surface_count():
		var arrays := mesh.surface_get_arrays(surface)
		arrays[Mesh.ARRAY_INDEX] = null
		var flags: int = mesh.surface_get_format(surface) & Mesh.ARRAY_FLAG_USE_8_BONE_WEIGHTS
		result.add_surface_from_arrays(Mesh.PRIMITIVE_POINTS, arrays, [], {}, flags)
	return result


func _digits(image: Image) -> PackedInt32Array:
	image.convert(Image.FORMAT_RGB8)
	var bytes := image.get_data()
	var digit := PackedInt32Array()
	var is_linear := RenderingServer.get_current_rendering_method() == "gl_compatibility"
	for byte in 256:
		digit.append(roundi((byte / 255.0 if is_linear else Color8(byte, 0, 0).srgb_to_linear().r) * 15))
	var result := PackedInt32Array()
	result.resize(bytes.size() / 3)
	for i in result.size():
		result[i] = digit[bytes[3 * i]] << 8 | digit[bytes[3 * i + 1]] << 4 | digit[bytes[3 * i + 2]]
	return result


## The pixel of each vertex: rows may run up or down.
func _pixels_of(indices: PackedInt32Array, count: int) -> PackedInt32Array:
	var width := root.size.x
	var result := PackedInt32Array()
	for is_flipped: bool in [false, true]:
		result.clear()
		var wrong := 0
		for v in count:
			var row := v / width
			result.append((root.size.y - 1 - row if is_flipped else row) * width + v % width)
			wrong += 0 if indices[result[v]] == v & 4095 else 1
		if wrong == 0:
			return result
	push_error("the pixels of the vertices were not found")
	return result


## Pictures with flesh, with the bones alone, and after the flesh was taken away.
func _draw(path: String, prefix: String) -> Dictionary:
	var scene := _add(path)
	var flesh := _flesh_of(scene)
	_add_camera(_bounds_of(scene))
	await process_frame
	await process_frame
	_animate(scene, 50)
	var images: Array[Image] = []
	for name: String in ["displacement", "flesh", "bones", "detached"]:
		match name:
			"displacement":
				flesh.show_displacement = true
			"flesh":
				flesh.show_displacement = false
			"bones":
				flesh.amount = 0
			"detached":
				flesh.detach()
		images.append(await _frame())
		images[-1].save_png("%s_%s.png" % [prefix, name])
	return {displacement = _difference(images[0], images[1]), flesh = _difference(images[1], images[2]),
		detached = _difference(images[2], images[3])}


func _difference(a: Image, b: Image) -> int:
	var count := 0
	for y in a.get_height():
		for x in a.get_width():
			var p := a.get_pixel(x, y)
			var q := b.get_pixel(x, y)
			count += 1 if absf(p.r - q.r) + absf(p.g - q.g) + absf(p.b - q.b) > 0.04 else 0
	return count


## The median of an update's milliseconds for many characters, all in full detail.
func _play_crowd(path: String, count: int, picture: String) -> Dictionary:
	var players: Array[AnimationPlayer] = []
	var bounds := AABB()
	for i in count:
		var scene := _add(path)
		_flesh_of(scene).detail_distances = []
		var size := _bounds_of(scene).size
		scene.position = Vector3((i % 5 - 2) * size.x, 0, -(i / 5) * 1.5 * size.z)
		bounds = _bounds_of(scene) if i == 0 else bounds.merge(_bounds_of(scene))
		for player: AnimationPlayer in scene.find_children("*", "AnimationPlayer", true, false):
			player.callback_mode_process = AnimationMixer.ANIMATION_CALLBACK_MODE_PROCESS_MANUAL
			player.play(player.get_animation_list()[i % player.get_animation_list().size()])
			players.append(player)
	_add_camera(bounds)
	await process_frame
	await process_frame
	var times: Array[float] = []
	var steps: Array[float] = []
	for frame in 60:
		for player in players:
			player.advance(STEP)
		var start := Time.get_ticks_usec()
		_update(STEP)
		times.append((Time.get_ticks_usec() - start) / 1000.0)
		start = Time.get_ticks_usec()
		SinewBody.step_all(STEP)
		steps.append((Time.get_ticks_usec() - start) / 1000.0)
	if DisplayServer.get_name() != "headless":
		(await _frame()).save_png(picture)
	times.sort()
	steps.sort()
	return {attached = SinewFlesh._all.size(), milliseconds = times[30], step_milliseconds = steps[30]}


## A model of another file is refused.
func _refuse(path: String, model: SinewModel) -> Dictionary:
	var scene := _add(path)
	var flesh := _flesh_of(scene)
	flesh.model = model
	return {attached = flesh.attach()}
