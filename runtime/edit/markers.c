/* SPDX-License-Identifier: MIT */
#include "runtime/edit/markers.h"

#include <string.h>

#include "host/model/model.h"

#define INK SN_MARKER_COLOR(22, 26, 34, 235)      /* outline, visible on any background */
#define PAPER SN_MARKER_COLOR(250, 251, 253, 255) /* free */
#define AMBER SN_MARKER_COLOR(255, 171, 46, 255)  /* locked */
#define BLUE SN_MARKER_COLOR(34, 132, 255, 255)   /* selected */
#define MIST SN_MARKER_COLOR(206, 212, 222, 150)  /* weights pending */
#define LINE SN_MARKER_COLOR(250, 251, 253, 225)

#define POINT_SIZE 5.5F
#define CORNER_SIZE 4.5F
#define JOINT_SIZE 3.5F
#define BONE_SIZE 8.0F
#define BADGE_SIZE 7.0F
#define BADGE_STEP 16.0F
#define BADGE_RIGHT 17.0F /* clear of the selection ring */
#define BADGE_UP 13.0F

void sn_marker_add(sn_marker_list *list, const sn_render_marker *marker)
{
    if (list->count < list->limit) {
        list->markers[list->count] = *marker;
        list->markers[list->count++].visible_depth = list->visible_depth;
    }
}

static sn_render_marker make_marker(const double position[3], uint32_t shape, float size, uint32_t fill, uint32_t edge)
{
    return (sn_render_marker){.from = {(float)position[0], (float)position[1], (float)position[2]},
                              .size = size,
                              .shape = shape,
                              .fill = fill,
                              .edge = edge};
}

static void add_line(sn_marker_list *list, const double from[3], const double to[3], uint32_t shape, uint32_t fill)
{
    sn_render_marker line = make_marker(from, shape, 0.9F, fill, INK);
    for (int d = 0; d < 3; ++d) {
        line.to[d] = (float)to[d];
    }
    sn_marker_add(list, &line);
}

void sn_marker_add_edge(sn_marker_list *list, const double from[3], const double to[3], bool is_pending)
{
    add_line(list, from, to, SN_MARKER_LINE, is_pending ? MIST : LINE);
}

void sn_marker_add_link(sn_marker_list *list, const double from[3], const double to[3])
{
    add_line(list, from, to, SN_MARKER_DASHES, MIST);
}

/* ---- locks ---- */

unsigned sn_bone_scalars(const sn_model *model, int bone)
{
    unsigned scalars =
        sn_model_is_flat(model) ? SN_LOCK_X | SN_LOCK_Y | SN_LOCK_ROTATION_Z : SN_LOCK_TRANSLATION | SN_LOCK_ROTATION;
    scalars |= sn_model_is_bone_stretchable(model, bone) ? SN_LOCK_STRETCH : 0;
    scalars &= sn_model_is_bone_translation_only(model, bone) ? SN_LOCK_TRANSLATION : SN_LOCK_ALL;
    return sn_model_bone_parent(model, bone) >= 0 ? scalars & ~(unsigned)SN_LOCK_TRANSLATION : scalars;
}

/* Adds badges to the upper right of a handle: a padlock if it is fully locked, else one badge per lock. */
static void add_badges(sn_marker_list *list, const sn_handle_style *style)
{
    static const struct {
        unsigned lock;
        uint32_t shape, fill;
    } badges[] = {{SN_LOCK_X, SN_MARKER_X, SN_MARKER_COLOR(222, 54, 62, 255)},
                  {SN_LOCK_Y, SN_MARKER_Y, SN_MARKER_COLOR(46, 152, 66, 255)},
                  {SN_LOCK_Z, SN_MARKER_Z, SN_MARKER_COLOR(38, 112, 224, 255)},
                  {SN_LOCK_ROTATION, SN_MARKER_ROTATION, SN_MARKER_COLOR(140, 72, 190, 255)},
                  {SN_LOCK_STRETCH, SN_MARKER_STRETCH, SN_MARKER_COLOR(0, 142, 148, 255)}};
    const unsigned locks = style->locks & style->scalars;
    float right = BADGE_RIGHT;
    if (locks != 0 && locks == style->scalars) {
        sn_render_marker lock =
            make_marker(style->start, SN_MARKER_LOCK, BADGE_SIZE, SN_MARKER_COLOR(36, 41, 52, 255), AMBER);
        lock.offset[0] = right;
        lock.offset[1] = -BADGE_UP;
        sn_marker_add(list, &lock);
        return;
    }
    for (size_t i = 0; i < sizeof badges / sizeof badges[0]; ++i) {
        if (locks & badges[i].lock) {
            sn_render_marker badge = make_marker(style->start, badges[i].shape, BADGE_SIZE, badges[i].fill,
                                                 SN_MARKER_COLOR(255, 255, 255, 255));
            badge.offset[0] = right;
            badge.offset[1] = -BADGE_UP;
            right += BADGE_STEP;
            sn_marker_add(list, &badge);
        }
    }
}

/* ---- handles ---- */

static void add_icon(sn_marker_list *list, const double position[3], uint32_t shape, float size,
                     const sn_handle_style *style, bool is_hovered)
{
    const uint32_t fill = style->is_pending ? MIST : style->locks & style->scalars ? AMBER : PAPER;
    const float hover_scale = is_hovered ? 1.3F : 1;
    if (style->is_selected) {
        const sn_render_marker ring = make_marker(position, shape, size * hover_scale + 4, BLUE, INK);
        sn_marker_add(list, &ring);
    }
    const sn_render_marker icon = make_marker(position, shape, size * hover_scale, fill, INK);
    sn_marker_add(list, &icon);
}

void sn_marker_add_handle(sn_marker_list *list, sn_handle_shape shape, const sn_handle_style *style)
{
    const bool is_start_hovered = style->is_hovered && !style->is_end_hovered;
    if (shape == SN_HANDLE_SHAPE_BONE) {
        const uint32_t fill = style->is_pending ? MIST : style->locks & style->scalars ? AMBER : PAPER;
        sn_render_marker bone =
            make_marker(style->start, SN_MARKER_BONE, BONE_SIZE, fill, style->is_selected ? BLUE : INK);
        for (int d = 0; d < 3; ++d) {
            bone.to[d] = (float)style->end[d];
        }
        sn_marker_add(list, &bone);
        sn_handle_style end = *style;
        end.is_selected = false;
        add_icon(list, style->end, SN_MARKER_DISC, JOINT_SIZE, &end, style->is_end_hovered);
    }
    const bool is_corner = shape == SN_HANDLE_SHAPE_CAGE;
    const float size = shape == SN_HANDLE_SHAPE_BONE ? JOINT_SIZE : is_corner ? CORNER_SIZE : POINT_SIZE;
    add_icon(list, style->start, is_corner ? SN_MARKER_SQUARE : SN_MARKER_DISC, size, style, is_start_hovered);
    add_badges(list, style);
}

/* ---- a model without an editor ---- */

static void transform_point(const float *m, const double *point, double *result)
{
    for (int d = 0; d < 3; ++d) {
        result[d] = (double)m[4 * d] * point[0] + (double)m[4 * d + 1] * point[1] + (double)m[4 * d + 2] * point[2] +
                    (double)m[4 * d + 3];
    }
}

static void add_model_edge(sn_marker_list *list, const sn_model *model, const float *bones, int32_t a, int32_t b)
{
    double pivots[2][3], from[3], to[3];
    sn_model_bone_pivot(model, a, pivots[0]);
    sn_model_bone_pivot(model, b, pivots[1]);
    transform_point(bones + 12 * (size_t)a, pivots[0], from);
    transform_point(bones + 12 * (size_t)b, pivots[1], to);
    sn_marker_add_edge(list, from, to, false);
}

static void add_model_cages(sn_marker_list *list, const sn_model *model, const float *bones)
{
    for (int i = 0; i < model->counts.cage_edge_count; ++i) {
        add_model_edge(list, model, bones, model->cage_edges[2 * i], model->cage_edges[2 * i + 1]);
    }
    for (int f = 0; f < model->counts.cage_face_count; ++f) {
        const int32_t first = model->cage_face_starts[f], end = model->cage_face_starts[f + 1];
        for (int32_t i = first; i < end; ++i) {
            const int32_t next = model->cage_corners[i + 1 < end ? i + 1 : first];
            if (model->cage_corners[i] < next) { /* each edge occurs in two faces */
                add_model_edge(list, model, bones, model->cage_corners[i], next);
            }
        }
    }
}

int sn_marker_model_count(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    return SN_HANDLE_MARKER_LIMIT * c->bone_count + c->cage_edge_count + c->cage_corner_count;
}

void sn_marker_add_model(sn_marker_list *list, const sn_model *model, const float *bones, const uint8_t *locks)
{
    add_model_cages(list, model, bones);
    for (int bone = 0; bone < sn_model_bone_count(model); ++bone) {
        const sn_edit_handle handle = sn_edit_handle_from_bone(model, bone);
        sn_handle_style style = {.locks = locks ? locks[bone] : 0, .scalars = sn_bone_scalars(model, bone)};
        transform_point(bones + 12 * (size_t)bone, handle.start, style.start);
        transform_point(bones + 12 * (size_t)bone, handle.end, style.end);
        sn_marker_add_handle(list, handle.shape, &style);
    }
}
