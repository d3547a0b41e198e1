/* SPDX-License-Identifier: MIT */
/* Measures the mesh's geometry: connected components, embedding errors, dihedral angles. */
#include <math.h>
#include <string.h>

#include "author/mesher/measures.h"
#include "host/math/vec3.h"

#define PI 3.14159265358979323846
#define TOLERANCE 1e-9

/* Faces listed by their lowest node, so that equal faces are in one short list. */
typedef struct face_lists {
    int32_t *starts;  /* (vertex_count + 1) */
    int32_t *members; /* 4 * tet + opposite corner */
} face_lists;

static void face_nodes(const sn_tet_mesh *mesh, int32_t face, int32_t *nodes)
{
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        if (k == face % 4) {
            continue;
        }
        const int32_t node = mesh->tets[face / 4 * 4 + k];
        int at = count++;
        for (; at > 0 && nodes[at - 1] > node; --at) {
            nodes[at] = nodes[at - 1];
        }
        nodes[at] = node;
    }
}

static bool list_faces(const sn_tet_mesh *mesh, sn_arena *scratch, face_lists *lists)
{
    int32_t nodes[3];
    lists->starts = SN_NEW(scratch, int32_t, (size_t)mesh->vertex_count + 2);
    lists->members = SN_NEW(scratch, int32_t, 4 * (size_t)mesh->tet_count);
    if (!lists->starts || !lists->members) {
        return false;
    }
    for (int32_t face = 0; face < 4 * mesh->tet_count; ++face) {
        face_nodes(mesh, face, nodes);
        ++lists->starts[nodes[0] + 2];
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        lists->starts[v + 2] += lists->starts[v + 1];
    }
    for (int32_t face = 0; face < 4 * mesh->tet_count; ++face) {
        face_nodes(mesh, face, nodes);
        lists->members[lists->starts[nodes[0] + 1]++] = face;
    }
    return true;
}

/* Visits a component by walking over common faces. Returns the number of its tets. */
static int walk_component(const sn_tet_mesh *mesh, const face_lists *lists, int32_t seed, bool *is_visited,
                          int32_t *queue)
{
    int count = 0;
    queue[count++] = seed;
    is_visited[seed] = true;
    for (int next = 0; next < count; ++next) {
        for (int k = 0; k < 4; ++k) {
            int32_t nodes[3], others[3];
            face_nodes(mesh, 4 * queue[next] + k, nodes);
            for (int32_t i = lists->starts[nodes[0]]; i < lists->starts[nodes[0] + 1]; ++i) {
                const int32_t tet = lists->members[i] / 4;
                if (!is_visited[tet]) {
                    face_nodes(mesh, lists->members[i], others);
                    if (memcmp(nodes, others, sizeof nodes) == 0) {
                        is_visited[tet] = true;
                        queue[count++] = tet;
                    }
                }
            }
        }
    }
    return count;
}

static bool count_components(const sn_tet_mesh *mesh, int *component_count)
{
    sn_arena scratch = {0};
    face_lists lists;
    bool *is_visited = SN_NEW(&scratch, bool, mesh->tet_count);
    int32_t *queue = SN_NEW(&scratch, int32_t, mesh->tet_count);
    const bool is_ok = is_visited && queue && list_faces(mesh, &scratch, &lists);
    *component_count = 0;
    for (int32_t t = 0; is_ok && t < mesh->tet_count; ++t) {
        if (!is_visited[t]) {
            walk_component(mesh, &lists, t, is_visited, queue);
            ++*component_count;
        }
    }
    sn_arena_finish(&scratch);
    return is_ok;
}

static double min_dihedral(const sn_tet_mesh *mesh)
{
    double max_cosine = -1; /* cosine */
    for (int t = 0; t < mesh->tet_count; ++t) {
        double normals[4][3];
        const double *x[4];
        for (int k = 0; k < 4; ++k) {
            x[k] = mesh->positions + 3 * (size_t)mesh->tets[4 * t + k];
        }
        for (int k = 0; k < 4; ++k) { /* all inwards or all outwards */
            double a[3], b[3];
            sn_subtract3(x[(k + 2) % 4], x[(k + 1) % 4], a);
            sn_subtract3(x[(k + 3) % 4], x[(k + 1) % 4], b);
            k % 2 ? sn_cross3(a, b, normals[k]) : sn_cross3(b, a, normals[k]);
        }
        for (int i = 0; i < 4; ++i) {
            for (int j = i + 1; j < 4; ++j) {
                const double squares = sn_dot3(normals[i], normals[i]) * sn_dot3(normals[j], normals[j]);
                max_cosine = fmax(max_cosine, -sn_dot3(normals[i], normals[j]) / sqrt(squares));
            }
        }
    }
    return acos(fmin(max_cosine, 1)) * 180 / PI;
}

static int count_outside(const sn_measured *m)
{
    const sn_mesher_input *input = m->surface->input;
    const sn_tet_mesh *mesh = &m->output->mesh;
    int count = 0;
    for (int v = 0; v < input->vertex_count; ++v) {
        const double *weights = m->output->vertex_weights + 4 * (size_t)v;
        double at[3] = {0, 0, 0}, min_weight = 0;
        for (int k = 0; k < 4; ++k) {
            min_weight = fmin(min_weight, weights[k]);
            for (int d = 0; d < 3; ++d) {
                at[d] +=
                    weights[k] * mesh->positions[3 * (size_t)mesh->tets[4 * m->output->vertex_tets[v] + k] + (size_t)d];
            }
        }
        const double error = sn_distance3(at, input->positions + 3 * (size_t)v);
        count += m->surface->unique_vertices[v] >= 0 &&
                 !(min_weight >= -TOLERANCE && error <= TOLERANCE * m->surface->scale);
    }
    return count;
}

sn_result sn_measure_shape(const sn_measured *measured, sn_mesher_report *report)
{
    report->min_dihedral = min_dihedral(&measured->output->mesh);
    report->outside_count = count_outside(measured);
    return count_components(&measured->output->mesh, &report->component_count) ? SN_OK : SN_ERROR_MEMORY;
}
