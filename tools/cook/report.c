/* SPDX-License-Identifier: MIT */
#include "tools/cook/report.h"

#include <stdio.h>

#include "author/cook/springs/soft_bones.h"
#include "tools/command/peak_memory.h"

static bool is_rigid_part(const sn_character_part *part)
{
    return part->rigid_piece_count > 0 && !part->is_hidden;
}

static bool is_hidden_part(const sn_character_part *part)
{
    return part->is_hidden;
}

/* "Hat", or "Face (2 of 5 pieces)" if only some of a part's pieces are rigid. */
static json_t *part_names(const sn_cook_context *k, bool (*is_listed)(const sn_character_part *))
{
    json_t *names = json_array();
    for (int i = 0; i < k->character.part_count; ++i) {
        const sn_character_part *part = &k->character.parts[i];
        const bool is_partial =
            part->rigid_piece_count > 0 && part->rigid_piece_count < part->piece_count && !part->is_hidden;
        if (is_listed(part) && is_partial) {
            json_array_append_new(
                names, json_sprintf("%s (%d of %d pieces)", part->name, part->rigid_piece_count, part->piece_count));
        } else if (is_listed(part)) {
            json_array_append_new(names, json_string(part->name));
        }
    }
    return names;
}

static void print_names(const char *what, json_t *names)
{
    size_t index;
    json_t *name;
    json_array_foreach(names, index, name)
    {
        printf("%s%s", index == 0 ? what : ", ", json_string_value(name));
    }
    if (json_array_size(names) > 0) {
        printf("\n");
    }
    json_decref(names);
}

static json_t *loose_json(const sn_cook_context *k)
{
    json_t *list = json_array();
    for (int bone = 0; k->soft_bones && bone < k->bone_count; ++bone) {
        const char *reason = sn_soft_bone_state_text(k->soft_bones[bone]);
        if (reason) {
            json_array_append_new(list, json_pack("{s:s,s:s}", "bone", k->bone_names[bone], "why", reason));
        }
    }
    return list;
}

/* Prints one line per reason. */
static void print_loose(const sn_cook_context *k)
{
    for (int why = SN_SOFT_BONE_FIXED + 1; k->soft_bones && why <= SN_SOFT_BONE_EXCLUDED; ++why) {
        json_t *names = json_array();
        for (int bone = 0; bone < k->bone_count; ++bone) {
            if ((int)k->soft_bones[bone] == why) {
                json_array_append_new(names, json_string(k->bone_names[bone]));
            }
        }
        char what[64];
        snprintf(what, sizeof what, "  %s: ", sn_soft_bone_state_text((sn_soft_bone_state)why));
        print_names(what, names);
    }
}

static json_t *levels_json(const sn_cook_report *report)
{
    json_t *levels = json_pack("[i]", report->cluster_count);
    for (int i = 0; i < SN_COARSE_LEVEL_LIMIT && report->coarse_cluster_counts[i] > 0; ++i) {
        json_array_append_new(levels, json_integer(report->coarse_cluster_counts[i]));
    }
    return levels;
}

json_t *sn_cook_report_json(const sn_cook_context *cooking)
{
    const sn_cook_report *report = &cooking->report;
    json_t *seconds = json_object();
    double total = 0;
    for (int stage = 0; stage < SN_COOK_STAGE_COUNT; ++stage) {
        json_object_set_new(seconds, sn_cook_stage_name((sn_cook_stage)stage), json_real(report->seconds[stage]));
        total += report->seconds[stage];
    }
    json_object_set_new(seconds, "total", json_real(total));
    json_t *mesh =
        json_pack("{s:i,s:i,s:f,s:i,s:i,s:i,s:i}", "components", report->component_count, "outside",
                  report->outside_count, "min_dihedral", report->min_dihedral, "glued", report->glued_count, "torn",
                  report->torn_count, "stretch", report->stretch_count, "bridges", report->bridge_count);
    return json_pack(
        "{s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:o,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:o,s:f,s:o,s:o,s:o,s:o,s:f,s:i,s:i,s:i,s:b,"
        "s:i}",
        "vertices", report->vertex_count, "tets", report->tet_count, "bones", report->bone_count, "modes",
        report->mode_count, "coordinates", report->coordinate_count, "barred", report->constrained_coordinate_count,
        "clusters", report->cluster_count, "cluster_levels", levels_json(report), "pins", report->pin_count,
        "loose_bones", report->soft_bone_count, "bone_colliders", report->bone_collider_count, "springs",
        report->spring_count, "constraint_rows", cooking->constraint.row_count, "morph_fields",
        report->morph_field_count, "morph_pairs", report->morph_pair_count, "target_modes", report->target_mode_count,
        "seconds", seconds, "peak_memory_mb", sn_peak_memory_mb(), "mesh", mesh, "rigid",
        part_names(cooking, is_rigid_part), "hidden", part_names(cooking, is_hidden_part), "loose", loose_json(cooking),
        "young", report->young, "carried", report->attached_vertex_count, "layers", report->layer_count, "fibre_curves",
        report->curve_count, "fibres", report->has_fibres, "generated_clips", report->generated_clip_count);
}

void sn_cook_report_print(const char *output, const sn_cook_context *cooking)
{
    const sn_cook_report *report = &cooking->report;
    double total = 0;
    printf("%s: %d vertices, %d %s, %d bones, %d modes, %d clusters, %d clips%s\n", output, report->vertex_count,
           report->tet_count, cooking->mesh.is_flat ? "triangles" : "tets", report->bone_count, report->mode_count,
           report->cluster_count, report->clip_count, report->generated_clip_count > 0 ? " (generated)" : "");
    for (int stage = 0; stage < SN_COOK_STAGE_COUNT; ++stage) {
        printf("  %-10s %7.3f s\n", sn_cook_stage_name((sn_cook_stage)stage), report->seconds[stage]);
        total += report->seconds[stage];
    }
    printf("  %-10s %7.3f s, peak memory %.0f MB\n", "total", total, sn_peak_memory_mb());
    if (report->constrained_coordinate_count > 0) {
        printf("  barred:  %d of %d coordinates\n", report->constrained_coordinate_count,
               report->constrained_coordinate_count + report->coordinate_count);
    }
    if (report->pin_count > 0) {
        printf("  pinned:  %d vertices\n", report->pin_count);
    }
    print_loose(cooking);
    if (report->bone_collider_count > 0) {
        printf("  colliders on bones: %d\n", report->bone_collider_count);
    }
    if (report->spring_count > 0) {
        printf("  spring bones: %d\n", report->spring_count);
    }
    if (report->attached_vertex_count > 0) {
        printf("  carried: %d vertices, attached to bones, with %d layers of tets around them\n",
               report->attached_vertex_count, report->layer_count);
    }
    if (report->has_fibres && report->curve_count > 0) {
        printf("  fibres:  along %d curve%s\n", report->curve_count, report->curve_count > 1 ? "s" : "");
    } else if (report->has_fibres) {
        printf("  fibres:  along bones\n");
    }
    if (report->morph_field_count > 0) {
        printf("  felt:    %d fields of morph targets, %d pairs with bones\n", report->morph_field_count,
               report->morph_pair_count);
    }
    print_names("  rigid:  ", part_names(cooking, is_rigid_part));
    print_names("  hidden: ", part_names(cooking, is_hidden_part));
}
