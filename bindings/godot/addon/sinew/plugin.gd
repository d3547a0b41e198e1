# SPDX-License-Identifier: MIT
## The editor's part: a command that cooks characters, and flesh for imported characters that are cooked.
@tool
extends EditorPlugin

const SETTING := "sinew/command"

var _menu: EditorContextMenuPlugin
var _document: GLTFDocumentExtension


func _enter_tree() -> void:
	if not ProjectSettings.has_setting(SETTING):
		ProjectSettings.set_setting(SETTING, "sinew")
	ProjectSettings.set_initial_value(SETTING, "sinew")
	ProjectSettings.add_property_info({name = SETTING, type = TYPE_STRING, hint = PROPERTY_HINT_GLOBAL_FILE})
	_menu = CookMenu.new()
	add_context_menu_plugin(EditorContextMenuPlugin.CONTEXT_SLOT_FILESYSTEM, _menu)
	_document = FleshImport.new()
	GLTFDocument.register_gltf_document_extension(_document)


func _exit_tree() -> void:
	remove_context_menu_plugin(_menu)
	GLTFDocument.unregister_gltf_document_extension(_document)


## Adds a SinewFlesh node to each imported character that has a model beside it: avatar.sinew for avatar.glb.
class FleshImport:
	extends GLTFDocumentExtension

	func _import_post(state: GLTFState, root: Node) -> Error:
		var path := state.base_path.path_join(state.filename.get_file().get_basename()) + ".sinew"
		if root is Node3D and ResourceLoader.exists(path):
			var flesh := SinewFlesh.new()
			flesh.name = "Flesh"
			flesh.model = load(path)
			root.add_child(flesh)
			flesh.owner = root
		return OK


## "Cook flesh" in the context menu of the file system dock.
class CookMenu:
	extends EditorContextMenuPlugin

	func _popup_menu(paths: PackedStringArray) -> void:
		for path in paths:
			if not path.get_extension().to_lower() in ["glb", "gltf", "vrm", "fbx"]:
				return
		add_context_menu_item("Cook flesh", _cook)

	func _cook(paths: PackedStringArray) -> void:
		for path: String in paths:
			WorkerThreadPool.add_task(_cook_file.bind(path, ProjectSettings.get_setting(SETTING)))

	func _cook_file(path: String, command: String) -> void:
		var output := []
		var model := path.get_basename() + ".sinew"
		print("sinew: cooking %s" % path)
		var status := OS.execute(command, ["cook", ProjectSettings.globalize_path(path), "-o", ProjectSettings.globalize_path(model)],
			output, true)
		_report.call_deferred(path, model, status, "".join(output))

	func _report(path: String, model: String, status: int, output: String) -> void:
		if status == 0:
			print(output)
			EditorInterface.get_resource_filesystem().update_file(model)
			EditorInterface.get_resource_filesystem().reimport_files([path])
		elif status < 0 or status == 127:
			push_error("sinew: the command \"%s\" was not found: set %s in the project's settings" % [
				ProjectSettings.get_setting(SETTING), SETTING])
		else:
			push_error("sinew: %s was not cooked:\n%s" % [path, output])
