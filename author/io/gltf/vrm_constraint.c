/* SPDX-License-Identifier: MIT */
/* VRMC_node_constraint: nodes that turn with another node. An invalid constraint is left out with a warning, since the
 * file is drawn without it as well as before. */
#include <string.h>

#include "author/io/gltf/gltf_reader.h"

/* The index of a text in a list, or -1 with an error. */
static int read_name(const sn_json *at, const char *key, const char *const *names, int count)
{
    const char *text = sn_json_text(at, key, "");
    for (int i = 0; i < count; ++i) {
        if (strcmp(text, names[i]) == 0) {
            return i;
        }
    }
    sn_json_fail(at, SN_ERROR_FORMAT, "%s: '%.40s' is no axis", key, text);
    return -1;
}

static void read_constraint(sn_gltf *g, const sn_json *list, sn_scene_constraint *c)
{
    static const char *const types[SN_CONSTRAINT_TYPE_COUNT] = {"roll", "aim", "rotation"};
    static const char *const roll_axes[] = {"X", "Y", "Z"};
    static const char *const aim_axes[] = {"PositiveX", "PositiveY", "PositiveZ",
                                           "NegativeX", "NegativeY", "NegativeZ"};
    int type = 0;
    while (type < SN_CONSTRAINT_TYPE_COUNT && !sn_json_has(list, types[type])) {
        ++type;
    }
    if (type == SN_CONSTRAINT_TYPE_COUNT) {
        sn_json_fail(list, SN_ERROR_FORMAT, "has no roll, aim or rotation");
        return;
    }
    const sn_json at = sn_json_get(list, types[type]);
    c->type = (sn_constraint_type)type;
    c->source = sn_json_index(&at, "source", g->scene->node_count);
    c->weight = sn_json_number(&at, "weight", 1);
    c->axis = type == SN_CONSTRAINT_ROLL  ? read_name(&at, "rollAxis", roll_axes, 3)
              : type == SN_CONSTRAINT_AIM ? read_name(&at, "aimAxis", aim_axes, 6)
                                          : 0;
    if (c->source < 0 || c->source == c->node) {
        sn_json_fail(&at, SN_ERROR_FORMAT, "it has no source, or itself");
    } else if (!(c->weight >= 0 && c->weight <= 1)) {
        sn_json_fail(&at, SN_ERROR_FORMAT, "its weight is %g, not 0 to 1", c->weight);
    }
}

/* Returns whether a node has a constraint, and adds it to the scene's if these are allocated. */
static bool visit_node(sn_gltf *g, const sn_json *nodes, int32_t node)
{
    sn_scene_file *scene = g->scene;
    const sn_json at = sn_json_entry(nodes, (size_t)node);
    const sn_json extensions = sn_json_get(&at, "extensions");
    const sn_json extension = sn_json_get(&extensions, "VRMC_node_constraint");
    const sn_json constraint = sn_json_get(&extension, "constraint");
    if (constraint.value && scene->constraints) {
        sn_gltf_attempt a;
        sn_scene_constraint *c = &scene->constraints[scene->constraint_count];
        sn_gltf_begin_attempt(&a);
        *c = (sn_scene_constraint){.node = node};
        read_constraint(g, &constraint, c);
        scene->constraint_count += sn_gltf_end_attempt(g, &a, SN_GLTF_WARNED_CONSTRAINT, "the constraint is ignored");
    }
    return constraint.value != NULL;
}

void sn_vrm_read_constraints(sn_gltf *g)
{
    sn_scene_file *scene = g->scene;
    const sn_json nodes = sn_json_get(&g->root, "nodes");
    int count = 0;
    for (int32_t node = 0; node < scene->node_count; ++node) {
        count += visit_node(g, &nodes, node);
    }
    if (count > 0 && sn_gltf_ok(g)) {
        scene->constraints = SN_GLTF_NEW(g, g->arena, &nodes, sn_scene_constraint, count);
    }
    for (int32_t node = 0; node < scene->node_count && scene->constraints && sn_gltf_ok(g); ++node) {
        visit_node(g, &nodes, node);
    }
}
