/* SPDX-License-Identifier: MIT */
/* VRM's toon shader, as written by exporters of both versions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/io/gltf_test.h"

/* A triangle, a PNG of one pixel, and two textures of it. */
#define DOCUMENT                                                                                                       \
    "\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],"               \
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"material\":0}]}],"                                \
    "\"accessors\":[{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[0,0,0]}],"          \
    "\"images\":[{\"uri\":\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwA" \
    "DhgGAWjR9awAAAABJRU5ErkJggg==\"}],\"textures\":[{\"source\":0},{\"source\":0}],"

static void assert_near(const float *values, int count, const double *expected)
{
    for (int i = 0; i < count; ++i) {
        assert_true(fabs((double)values[i] - expected[i]) < 1e-5);
    }
}

static void version_1(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file s;
    read_document(
        "{" DOCUMENT
        "\"extensionsUsed\":[\"VRMC_materials_mtoon\",\"KHR_materials_unlit\"],\"materials\":[{\"alphaMode\":\"BLEND\","
        "\"extensions\":{\"KHR_materials_unlit\":{},\"VRMC_materials_mtoon\":{\"specVersion\":\"1.0\","
        "\"transparentWithZWrite\":true,\"renderQueueOffsetNumber\":4,\"shadeColorFactor\":[0.5,0.25,0],"
        "\"shadeMultiplyTexture\":{\"index\":0},\"shadingShiftFactor\":-0.25,"
        "\"shadingShiftTexture\":{\"index\":1,\"scale\":0.5},\"shadingToonyFactor\":0.75,\"matcapFactor\":[1,0.5,0],"
        "\"matcapTexture\":{\"index\":1},\"parametricRimColorFactor\":[0,0.5,1],\"parametricRimLiftFactor\":0.125,"
        "\"parametricRimFresnelPowerFactor\":3,\"rimLightingMixFactor\":0.5,\"rimMultiplyTexture\":{\"index\":0},"
        "\"outlineWidthMode\":\"screenCoordinates\",\"outlineWidthFactor\":0.01,\"outlineColorFactor\":[0.25,0,0],"
        "\"outlineLightingMixFactor\":0.25,\"outlineWidthMultiplyTexture\":{\"index\":0},"
        "\"uvAnimationMaskTexture\":{\"index\":1},\"uvAnimationScrollXSpeedFactor\":1,"
        "\"uvAnimationScrollYSpeedFactor\":-2,\"uvAnimationRotationSpeedFactor\":3}}},"
        "{\"extensions\":{\"VRMC_materials_mtoon\":{\"specVersion\":\"1.0\"}}},{}]}",
        NULL, &arena, &s);
    assert_int_equal(logged.warnings, 0);
    const sn_toon_material *t = &s.materials[0].toon;
    assert_true(t->is_toon && t->outline == SN_OUTLINE_SCREEN && t->writes_depth && t->render_order == 2505);
    assert_true(s.materials[0].values.is_unlit && s.materials[0].values.alpha_mode == SN_ALPHA_BLEND);
    assert_near(t->shade_color, 6, (const double[]){0.5, 0.25, 0, -0.25, 0.5, 0.75});
    assert_near(t->matcap, 9, (const double[]){1, 0.5, 0, 0, 0.5, 1, 3, 0.125, 0.5});
    assert_near(&t->outline_width, 5, (const double[]){0.01, 0.25, 0, 0, 0.25});
    assert_near(t->uv_scroll, 3, (const double[]){1, -2, 3});
    for (int use = 0; use < SN_TOON_TEXTURE_USE_COUNT; ++use) {
        assert_true(t->textures[use] >= 0 && t->textures[use] < s.texture_count);
    }
    const sn_toon_material *plain = &s.materials[1].toon;
    assert_true(plain->is_toon && plain->outline == SN_OUTLINE_NONE && plain->render_order == 3000);
    assert_near(plain->shade_color, 6, (const double[]){1, 1, 1, 0, 1, 0.9});
    assert_true(plain->textures[SN_TOON_TEXTURE_MATCAP] == -1 && !s.materials[2].toon.is_toon);
    sn_arena_finish(&arena);
}

/* Colours are sRGB, widths centimetres; shift and toony give the same ramp: lit from -0.1 + 0.2 (1 - 0.8) up. */
static void version_0(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file s;
    read_document(
        "{" DOCUMENT
        "\"extensionsUsed\":[\"VRM\"],\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}},"
        "{}],\"extensions\":{\"VRM\":{\"materialProperties\":[{\"name\":\"m\",\"shader\":\"VRM/MToon\","
        "\"renderQueue\":2950,\"floatProperties\":{\"_Cutoff\":0.25,\"_ShadeShift\":0.1,\"_ShadeToony\":0.8,"
        "\"_RimLightingMix\":0.5,\"_RimFresnelPower\":2,\"_RimLift\":0.25,\"_OutlineWidth\":0.5,"
        "\"_OutlineWidthMode\":1,\"_OutlineColorMode\":1,\"_OutlineLightingMix\":0.75,\"_UvAnimScrollX\":1,"
        "\"_UvAnimScrollY\":2,\"_UvAnimRotation\":0.5,\"_BlendMode\":3,\"_CullMode\":0},"
        "\"vectorProperties\":{\"_ShadeColor\":[0.5,1,0,1],\"_RimColor\":[0.5,0,0,1],\"_EmissionColor\":[0.5,0,0,1],"
        "\"_OutlineColor\":[0.5,0,0,1],\"_MainTex\":[0.125,0.25,0.5,0.5]},"
        "\"textureProperties\":{\"_MainTex\":0,\"_ShadeTexture\":1,\"_SphereAdd\":1}},"
        "{\"name\":\"u\",\"shader\":\"VRM/UnlitTexture\"}]}}}",
        NULL, &arena, &s);
    const sn_toon_material *t = &s.materials[0].toon;
    const sn_material *m = &s.materials[0].values;
    const double half = pow((0.5 + 0.055) / 1.055, 2.4), toony = 0.8 + 0.2 * 0.55;
    assert_true(t->is_toon && t->outline == SN_OUTLINE_WORLD && t->writes_depth && t->render_order == 2950);
    assert_true(m->alpha_mode == SN_ALPHA_BLEND && m->is_double_sided && m->is_unlit);
    assert_near(t->shade_color, 3, (const double[]){half, 1, 0});
    assert_true(fabs((double)t->shading_toony - toony) < 1e-6);
    assert_true(fabs((double)t->shading_shift - (-0.1 - (1 - toony))) < 1e-6);
    assert_near(t->rim_color, 6, (const double[]){half, 0, 0, 2, 0.25, 0.5});
    assert_near(&t->outline_width, 5, (const double[]){0.005, half, 0, 0, 0.75});
    assert_near(t->uv_scroll, 3, (const double[]){1, -2, 3.14159265});
    assert_near(m->emissive, 3, (const double[]){half, 0, 0});
    assert_near(s.materials[0].uv_transforms[0], 6, (const double[]){0.5, 0, 0.125, 0, 0.5, 0.25});
    assert_true(t->textures[SN_TOON_TEXTURE_SHADE] >= 0 && t->textures[SN_TOON_TEXTURE_MATCAP] >= 0 &&
                t->textures[SN_TOON_TEXTURE_RIM] == -1);
    assert_true(s.materials[1].values.is_unlit && !s.materials[1].toon.is_toon);
    sn_arena_finish(&arena);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    bytes file = {0};
    put_glb(&file,
            "{" DOCUMENT "\"materials\":[{\"extensions\":{\"VRMC_materials_mtoon\":{\"shadeMultiplyTexture\":"
            "{\"index\":7}}}}]}",
            NULL);
    check_failure(&file, SN_ERROR_FORMAT, "materials[0].extensions.VRMC_materials_mtoon.shadeMultiplyTexture.index");
}

int test_vrm_toon(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(version_1), cmocka_unit_test(version_0),
                                       cmocka_unit_test(mistakes_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
