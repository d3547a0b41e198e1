# SPDX-License-Identifier: MIT
## Copies of materials whose vertices are moved by flesh.
##
## Shader materials keep their code, to which a call is added. The engine gives no access to the code of standard
## materials, so that they are written anew, for what files of characters use.
class_name SinewMaterials
extends RefCounted

const INCLUDE := "#include \"res://addons/sinew/flesh.gdshaderinc\"\n"
const CALL := "\n\tsinew_move(VERTEX_ID, VERTEX, NORMAL, TANGENT, BINORMAL);"
const CALL_WITHOUT_TANGENTS := "\n\tvec3 sinew_tangent = vec3(0.0), sinew_binormal = vec3(0.0);" + \
	"\n\tsinew_move(VERTEX_ID, VERTEX, NORMAL, sinew_tangent, sinew_binormal);"

static var _shaders := {} # by code


## The material and the passes that follow it. Null for no material: the engine's default. has_tangents: of the mesh; one
## that has none keeps the normals that the bones give it.
static func with_flesh(material: Material, row_count: int, has_tangents: bool) -> ShaderMaterial:
	if material == null:
		material = StandardMaterial3D.new()
	var result: ShaderMaterial
	if material is ShaderMaterial:
		result = material.duplicate()
		result.shader = _shader(_add_call(material.shader.code if material.shader else "shader_type spatial;", row_count, has_tangents))
	elif material is BaseMaterial3D:
		result = _standard(material, row_count, has_tangents)
	else:
		push_warning("sinew: material \"%s\" is of a class without flesh: %s" % [material.resource_name, material.get_class()])
		return null
	result.resource_name = material.resource_name
	result.render_priority = material.render_priority
	if material.next_pass:
		result.next_pass = with_flesh(material.next_pass, row_count, has_tangents)
	return result


## Colours the surface by how far it is moved: from blue over green to red at a fiftieth of the diagonal.
static func displacement(row_count: int) -> ShaderMaterial:
	var result := ShaderMaterial.new()
	result.shader = _shader("shader_type spatial;\nrender_mode unshaded, blend_mix;\n%s%svarying float moved;\n" % [
		_row_count(row_count), INCLUDE] + "void vertex() {\n\tvec3 t = vec3(0.0), b = t;\n\tmoved = length(sinew_move(VERTEX_ID, VERTEX, NORMAL, t, b)) /" +
		" (0.02 * sinew_lengths.x * sinew_lengths.y);\n}\nvoid fragment() {\n\tALBEDO = clamp(1.5 - abs(4.0 *" +
		" min(moved, 1.0) - vec3(3.0, 2.0, 1.0)), 0.0, 1.0);\n\tALPHA = 0.7;\n}\n")
	result.render_priority = 1
	return result


static func _call(has_tangents: bool) -> String:
	return CALL if has_tangents else CALL_WITHOUT_TANGENTS


static func _row_count(row_count: int) -> String:
	return "#define SINEW_ROW_COUNT %d\n" % row_count


static func _shader(code: String) -> Shader:
	if not _shaders.has(code):
		var shader := Shader.new()
		shader.code = code
		_shaders[code] = shader
	return _shaders[code]


static func _add_call(code: String, row_count: int, has_tangents: bool) -> String:
	var function := RegEx.create_from_string("void\\s+vertex\\s*\\(\\s*\\)\\s*\\{").search(code)
	var declarations := _row_count(row_count) + INCLUDE
	if function == null:
		return "%s\n%svoid vertex() {%s\n}\n" % [code, declarations, _call(has_tangents)]
	return code.substr(0, function.get_start()) + "\n" + declarations + function.get_string() + _call(has_tangents) + code.substr(function.get_end())


const _BLEND: Array[String] = ["blend_mix", "blend_add", "blend_sub", "blend_mul", "blend_premul_alpha"]
const _DEPTH_DRAW: Array[String] = ["depth_draw_opaque", "depth_draw_always", "depth_draw_never"]
const _CULL: Array[String] = ["cull_back", "cull_front", "cull_disabled"]
const _DIFFUSE: Array[String] = ["diffuse_burley", "diffuse_lambert", "diffuse_lambert_wrap", "diffuse_toon"]
const _SPECULAR: Array[String] = ["specular_schlick_ggx", "specular_toon", "specular_disabled"]
const _FILTER: Array[String] = ["filter_nearest", "filter_linear", "filter_nearest_mipmap", "filter_linear_mipmap",
	"filter_nearest_mipmap_anisotropic", "filter_linear_mipmap_anisotropic"]
const _CHANNEL: Array[String] = ["r", "g", "b", "a"]


static func _render_modes(m: BaseMaterial3D) -> String:
	var modes: Array[String] = [_BLEND[m.blend_mode], _CULL[m.cull_mode], _DIFFUSE[m.diffuse_mode], _SPECULAR[m.specular_mode],
		"depth_prepass_alpha" if m.transparency == BaseMaterial3D.TRANSPARENCY_ALPHA_DEPTH_PRE_PASS else _DEPTH_DRAW[m.depth_draw_mode]]
	if m.shading_mode == BaseMaterial3D.SHADING_MODE_UNSHADED:
		modes.append("unshaded")
	elif m.shading_mode == BaseMaterial3D.SHADING_MODE_PER_VERTEX:
		modes.append("vertex_lighting")
	for flag: Array in [[BaseMaterial3D.FLAG_DISABLE_DEPTH_TEST, "depth_test_disabled"],
			[BaseMaterial3D.FLAG_DISABLE_AMBIENT_LIGHT, "ambient_light_disabled"],
			[BaseMaterial3D.FLAG_DONT_RECEIVE_SHADOWS, "shadows_disabled"],
			[BaseMaterial3D.FLAG_USE_SHADOW_TO_OPACITY, "shadow_to_opacity"],
			[BaseMaterial3D.FLAG_DISABLE_FOG, "fog_disabled"]]:
		if m.get_flag(flag[0]):
			modes.append(flag[1])
	return ", ".join(modes)


static func _standard(m: BaseMaterial3D, row_count: int, has_tangents: bool) -> ShaderMaterial:
	var uniforms := PackedStringArray()
	var fragment := PackedStringArray()
	var values := {}
	var sampling := "%s, %s" % [_FILTER[m.texture_filter],
		"repeat_enable" if m.get_flag(BaseMaterial3D.FLAG_USE_TEXTURE_REPEAT) else "repeat_disable"]
	var sampler := func(name: String, slot: BaseMaterial3D.TextureParam, hint: String) -> void:
		uniforms.append("uniform sampler2D %s : %s, %s;" % [name, hint, sampling])
		values[name] = m.get_texture(slot)
	var number := func(name: String, value: Variant) -> void:
		var type := "float"
		if value is Color:
			type = "vec4"
		elif value is Vector3:
			type = "vec3"
		uniforms.append("uniform %s %s%s;" % [type, name, " : source_color" if value is Color else ""])
		values[name] = value

	number.call("albedo", m.albedo_color)
	sampler.call("texture_albedo", BaseMaterial3D.TEXTURE_ALBEDO, "source_color, hint_default_white")
	number.call("uv1_scale", m.uv1_scale)
	number.call("uv1_offset", m.uv1_offset)
	fragment.append("vec4 color = albedo * texture(texture_albedo, UV);")
	if m.vertex_color_use_as_albedo:
		fragment.append("color *= COLOR;")
	fragment.append("ALBEDO = color.rgb;")
	if m.transparency != BaseMaterial3D.TRANSPARENCY_DISABLED:
		fragment.append("ALPHA = color.a;")
	if m.transparency == BaseMaterial3D.TRANSPARENCY_ALPHA_SCISSOR:
		number.call("alpha_scissor_threshold", m.alpha_scissor_threshold)
		fragment.append("ALPHA_SCISSOR_THRESHOLD = alpha_scissor_threshold;")
	elif m.transparency == BaseMaterial3D.TRANSPARENCY_ALPHA_HASH:
		number.call("alpha_hash_scale", m.alpha_hash_scale)
		fragment.append("ALPHA_HASH_SCALE = alpha_hash_scale;")

	number.call("metallic", m.metallic)
	number.call("roughness", m.roughness)
	number.call("specular", m.metallic_specular)
	fragment.append("SPECULAR = specular;")
	if m is ORMMaterial3D:
		sampler.call("texture_orm", BaseMaterial3D.TEXTURE_ORM, "hint_default_white")
		fragment.append("vec4 orm = texture(texture_orm, UV);\n\tAO = orm.r;\n\tROUGHNESS = orm.g;\n\tMETALLIC = orm.b;")
	else:
		sampler.call("texture_metallic", BaseMaterial3D.TEXTURE_METALLIC, "hint_default_white")
		sampler.call("texture_roughness", BaseMaterial3D.TEXTURE_ROUGHNESS, "hint_default_white")
		fragment.append("METALLIC = metallic * %s;" % _channel("texture_metallic", m.metallic_texture_channel))
		fragment.append("ROUGHNESS = roughness * %s;" % _channel("texture_roughness", m.roughness_texture_channel))
	if m.normal_enabled:
		number.call("normal_scale", m.normal_scale)
		sampler.call("texture_normal", BaseMaterial3D.TEXTURE_NORMAL, "hint_roughness_normal")
		fragment.append("NORMAL_MAP = texture(texture_normal, UV).rgb;\n\tNORMAL_MAP_DEPTH = normal_scale;")
	if m.emission_enabled:
		number.call("emission", m.emission)
		number.call("emission_energy", m.emission_energy_multiplier)
		var is_added := m.emission_operator == BaseMaterial3D.EMISSION_OP_ADD
		sampler.call("texture_emission", BaseMaterial3D.TEXTURE_EMISSION,
			"source_color, %s" % ("hint_default_black" if is_added else "hint_default_white"))
		fragment.append("EMISSION = (emission.rgb %s texture(texture_emission, %s).rgb) * emission_energy;" % [
			"+" if is_added else "*", "UV2" if m.emission_on_uv2 else "UV"])
	if m.ao_enabled:
		number.call("ao_light_affect", m.ao_light_affect)
		sampler.call("texture_ao", BaseMaterial3D.TEXTURE_AMBIENT_OCCLUSION, "hint_default_white")
		fragment.append("AO = %s;\n\tAO_LIGHT_AFFECT = ao_light_affect;" % _channel("texture_ao", m.ao_texture_channel,
			"UV2" if m.ao_on_uv2 else "UV"))
	if m.rim_enabled:
		number.call("rim", m.rim)
		number.call("rim_tint", m.rim_tint)
		sampler.call("texture_rim", BaseMaterial3D.TEXTURE_RIM, "hint_default_white")
		fragment.append("vec4 rim_texel = texture(texture_rim, UV);\n\tRIM = rim * rim_texel.x;\n\tRIM_TINT = rim_tint * rim_texel.y;")
	if m.clearcoat_enabled:
		number.call("clearcoat", m.clearcoat)
		number.call("clearcoat_roughness", m.clearcoat_roughness)
		sampler.call("texture_clearcoat", BaseMaterial3D.TEXTURE_CLEARCOAT, "hint_default_white")
		fragment.append("vec4 coat = texture(texture_clearcoat, UV);\n\tCLEARCOAT = clearcoat * coat.x;" +
			"\n\tCLEARCOAT_ROUGHNESS = clearcoat_roughness * coat.y;")
	if m.anisotropy_enabled:
		number.call("anisotropy", m.anisotropy)
		fragment.append("ANISOTROPY = anisotropy;")
	if m.backlight_enabled:
		number.call("backlight", m.backlight)
		fragment.append("BACKLIGHT = backlight.rgb;")
	if m.subsurf_scatter_enabled:
		number.call("subsurface", m.subsurf_scatter_strength)
		fragment.append("SSS_STRENGTH = subsurface;")
	_warn_of_lost_features(m)

	var vertex := "UV = UV * uv1_scale.xy + uv1_offset.xy;"
	if m.vertex_color_is_srgb:
		vertex += "\n\tCOLOR.rgb = mix(pow((COLOR.rgb + 0.055) / 1.055, vec3(2.4)), COLOR.rgb / 12.92, lessThan(COLOR.rgb, vec3(0.04045)));"
	var result := ShaderMaterial.new()
	result.shader = _shader("shader_type spatial;\nrender_mode %s;\n%s%s%s\nvoid vertex() {%s\n\t%s\n}\nvoid fragment() {\n\t%s\n}\n" % [
		_render_modes(m), _row_count(row_count), INCLUDE, "\n".join(uniforms), _call(has_tangents), vertex, "\n\t".join(fragment)])
	for name: String in values:
		result.set_shader_parameter(name, values[name])
	return result


static func _channel(texture: String, channel: BaseMaterial3D.TextureChannel, uv := "UV") -> String:
	if channel == BaseMaterial3D.TEXTURE_CHANNEL_GRAYSCALE:
		return "dot(texture(%s, %s).rgb, vec3(0.333333))" % [texture, uv]
	return "texture(%s, %s).%s" % [texture, uv, _CHANNEL[channel]]


static func _warn_of_lost_features(m: BaseMaterial3D) -> void:
	var lost := PackedStringArray()
	for feature: Array in [[m.detail_enabled, "detail"], [m.heightmap_enabled, "height"], [m.refraction_enabled, "refraction"],
			[m.uv1_triplanar, "triplanar mapping"], [m.billboard_mode != BaseMaterial3D.BILLBOARD_DISABLED, "billboard"],
			[m.proximity_fade_enabled, "proximity fade"], [m.grow, "grow"],
			[m.distance_fade_mode != BaseMaterial3D.DISTANCE_FADE_DISABLED, "distance fade"]]:
		if feature[0]:
			lost.append(feature[1])
	if not lost.is_empty():
		push_warning("sinew: material \"%s\" is drawn without %s" % [m.resource_name, ", ".join(lost)])
