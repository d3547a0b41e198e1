/* SPDX-License-Identifier: MIT */
/* Fuzz target: material libraries of OBJ files; what they say of two materials must be in range. No picture is found.
 */
#include "author/io/surface/obj_material.h"
#include "tests/fuzz/fuzz_surface.h"

static void check_material(const sn_material *m)
{
    sn_fuzz_check_floats(m->base_color, 4);
    sn_fuzz_check_floats(m->emissive, 3);
    SN_ASSERT(m->roughness >= 0 && m->roughness <= 1 && m->metallic >= 0 && m->metallic <= 1);
    SN_ASSERT(m->base_color[3] >= 0 && m->base_color[3] <= 1 && m->alpha_mode < SN_ALPHA_MODE_COUNT);
    SN_ASSERT(m->textures[SN_TEXTURE_BASE_COLOR] == -1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const sn_token names[] = {{.text = "a", .size = 1}, {.text = "b c", .size = 3}};
    const sn_source object = {.name = "/no such folder/fuzz.obj", .bytes = (const uint8_t *)"", .size = 0};
    sn_scene_material materials[] = {sn_obj_default_material("a"), sn_obj_default_material("b c")};
    sn_source source = sn_fuzz_source(data, size);
    sn_arena arena = {0};
    sn_name_table table = {0};
    sn_obj_materials m = {.source = &object, .arena = &arena, .names = &table, .materials = materials};
    const bool is_ready = source.bytes && sn_name_add(&table, names[0]) == 0 && sn_name_add(&table, names[1]) == 1;
    if (is_ready && sn_obj_parse_library(&m, &source) == SN_OK) {
        check_material(&materials[0].values);
        check_material(&materials[1].values);
    }
    sn_obj_materials_finish(&m);
    sn_name_table_finish(&table);
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
    return 0;
}
