# SPDX-License-Identifier: MIT
## Loads .sinew files as SinewModel resources, in the editor and in exported games.
@tool
class_name SinewModelLoader
extends ResourceFormatLoader


func _get_recognized_extensions() -> PackedStringArray:
	return ["sinew"]


func _handles_type(type: StringName) -> bool:
	return type == &"SinewModel" or type == &"Resource"


func _get_resource_type(path: String) -> String:
	return "SinewModel" if path.get_extension().to_lower() == "sinew" else ""


func _load(path: String, _original_path: String, _use_sub_threads: bool, _cache_mode: int) -> Variant:
	var bytes := FileAccess.get_file_as_bytes(path)
	if bytes.is_empty():
		push_error("sinew: %s: %s" % [path, error_string(FileAccess.get_open_error())])
		return FileAccess.get_open_error() if FileAccess.get_open_error() != OK else ERR_FILE_CORRUPT
	var model := SinewModel.new()
	if not model.load_bytes(bytes):
		push_error("sinew: %s is not a model that this version reads: cook it again" % path)
		return ERR_FILE_CORRUPT
	return model
