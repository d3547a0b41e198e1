# SPDX-License-Identifier: MIT
## Shows the characters in res://characters one at a time: Tab shows the next one, the number keys play its animations,
## a click pushes the flesh, the right mouse button turns the camera, F turns the flesh off and on, D colours the
## displacement.
extends Node3D

var _paths := PackedStringArray()
var _index := -1
var _character: Node3D
var _flesh: SinewFlesh
var _player: AnimationPlayer
var _yaw := 0.4
var _bounds := AABB()

@onready var _camera: Camera3D = $Camera
@onready var _label: Label = $Label


func _ready() -> void:
	for file in ResourceLoader.list_directory("res://characters"):
		if file.get_extension().to_lower() in ["glb", "gltf", "vrm", "fbx"]:
			_paths.append("res://characters/" + file)
	if _paths.is_empty():
		_label.text = "Put characters into res://characters, and their models beside them:\nsinew cook avatar.glb -o avatar.sinew"
	else:
		_show_next()


func _show_next() -> void:
	if _character:
		_character.queue_free()
	_index = (_index + 1) % _paths.size()
	_character = load(_paths[_index]).instantiate()
	add_child(_character)
	var players := _character.find_children("*", "AnimationPlayer", true, false)
	var fleshes := _character.find_children("*", "SinewFlesh", true, false)
	_player = players[0] if players else null
	_flesh = fleshes[0] if fleshes else null
	_bounds = AABB()
	for mesh: MeshInstance3D in _character.find_children("*", "MeshInstance3D", true, false):
		var box := mesh.global_transform * mesh.get_aabb()
		_bounds = box if _bounds.size == Vector3.ZERO else _bounds.merge(box)
	_play(0)
	_place_camera()


func _play(index: int) -> void:
	var names := _player.get_animation_list() if _player else PackedStringArray()
	if index < names.size():
		_player.get_animation(names[index]).loop_mode = Animation.LOOP_LINEAR
		_player.play(names[index], 0.2)
	_label.text = "%s   %s" % [_paths[_index].get_file(), _player.current_animation if index < names.size() else "without animations"]
	if _flesh == null:
		_label.text += "\nno model: sinew cook %s -o %s.sinew" % [_paths[_index].get_file(), _paths[_index].get_file().get_basename()]


func _place_camera() -> void:
	var length := _bounds.size.length()
	_camera.near = 0.01 * length
	_camera.far = 50 * length
	_camera.look_at_from_position(_bounds.get_center() + Vector3(sin(_yaw), 0.15, cos(_yaw)) * 1.7 * length, _bounds.get_center())


func _unhandled_input(event: InputEvent) -> void:
	if event is InputEventMouseMotion and event.button_mask & MOUSE_BUTTON_MASK_RIGHT:
		_yaw -= 0.01 * event.relative.x
		_place_camera()
	elif event is InputEventMouseButton and event.pressed and event.button_index == MOUSE_BUTTON_LEFT and _flesh:
		var from := _camera.project_ray_origin(event.position)
		var along := _camera.project_ray_normal(event.position)
		var depth := (_bounds.get_center() - from).dot(along) - 0.2 * _bounds.size.length()
		_flesh.poke(from + depth * along, along * 4 * _bounds.size.length())
	elif event is InputEventKey and event.pressed and not event.echo:
		if event.keycode == KEY_TAB and not _paths.is_empty():
			_show_next()
		elif event.keycode == KEY_F and _flesh:
			_flesh.amount = 0.0 if _flesh.amount > 0 else 1.0
		elif event.keycode == KEY_D and _flesh:
			_flesh.show_displacement = not _flesh.show_displacement
		elif event.keycode >= KEY_1 and event.keycode <= KEY_9:
			_play(event.keycode - KEY_1)
