/* SPDX-License-Identifier: MIT */
#include "runtime/edit/marks.h"

#include <string.h>

#include "host/model/model.h"

#define INK SN_MARK_COLOR(22, 26, 34, 235)      /* outline, visible on any background */
#define PAPER SN_MARK_COLOR(250, 251, 253, 255) /* free */
#define AMBER SN_MARK_COLOR(255, 171, 46, 255)  /* locked */
#define BLUE SN_MARK_COLOR(34, 132, 255, 255)   /* selected */
#define MIST SN_MARK_COLOR(206, 212, 222, 150)  /* weights pending */
#define LINE SN_MARK_COLOR(250, 251, 253, 225)

#define POINT_SIZE 5.5F
#define CORNER_SIZE 4.5F
#define JOINT_SIZE 3.5F
#define BONE_SIZE 8.0F
#define BADGE_SIZE 7.0F
#define BADGE_STEP 16.0F
#define BADGE_RIGHT 17.0F /* clear of the selection ring */
#define BADGE_UP 13.0F

void sn_mark_add(sn_mark_list *list, const sn_render_mark *mark)
{
    if (list->count < list->limit) {
        list->marks[list->count] = *mark;
        list->marks[list->count++].reach = list->reach;
    }
}

static sn_render_mark mark_at(const double place[3], uint32_t shape, float size, uint32_t fill, uint32_t edge)
{
    return (sn_render_mark){.from = {(float)place[0], (float)place[1], (float)place[2]},
                            .size = size,
                            .shape = shape,
                            .fill = fill,
                            .edge = edge};
}

static void add_line(sn_mark_list *list, const double from[3], const double to[3], uint32_t shape, uint32_t fill)
{
    sn_render_mark line = mark_at(from, shape, 0.9F, fill, INK);
    for (int d = 0; d < 3; ++d) {
        line.to[d] = (float)to[d];
    }
    sn_mark_add(list, &line);
}

void sn_mark_edge(sn_mark_list *list, const double from[3], const double to[3], bool is_ahead)
{
    add_line(list, from, to, SN_MARK_LINE, is_ahead ? MIST : LINE);
}

void sn_mark_link(sn_mark_list *list, const double from[3], const double to[3])
{
    add_line(list, from, to, SN_MARK_DASHES, MIST);
}

/* ---- locks ---- */

unsigned sn_bone_scalars(const sn_model *model, int bone)
{
    unsigned scalars =
        sn_model_is_flat(model) ? SN_LOCK_X | SN_LOCK_Y | SN_LOCK_ROTATION_Z : SN_LOCK_TRANSLATION | SN_LOCK_ROTATION;
    scalars |= sn_model_is_bone_stretched(model, bone) ? SN_LOCK_STRETCH : 0;
    scalars &= sn_model_is_bone_translated(model, bone) ? SN_LOCK_TRANSLATION : SN_LOCK_ALL;
    return sn_model_bone_parent(model, bone) >= 0 ? scalars & ~(unsigned)SN_LOCK_TRANSLATION : scalars;
}

/* Adds badges to the upper right of a handle: a padlock if it is fully locked, else one badge per lock. */
static void add_badges(sn_mark_list *list, const sn_handle_look *look)
{
    static const struct {
        unsigned lock;
        uint32_t shape, fill;
    } badges[] = {{SN_LOCK_X, SN_MARK_X, SN_MARK_COLOR(222, 54, 62, 255)},
                  {SN_LOCK_Y, SN_MARK_Y, SN_MARK_COLOR(46, 152, 66, 255)},
                  {SN_LOCK_Z, SN_MARK_Z, SN_MARK_COLOR(38, 112, 224, 255)},
                  {SN_LOCK_ROTATION, SN_MARK_TURN, SN_MARK_COLOR(140, 72, 190, 255)},
                  {SN_LOCK_STRETCH, SN_MARK_STRETCH, SN_MARK_COLOR(0, 142, 148, 255)}};
    const unsigned locks = look->locks & look->scalars;
    float right = BADGE_RIGHT;
    if (locks != 0 && locks == look->scalars) {
        sn_render_mark lock = mark_at(look->start, SN_MARK_LOCK, BADGE_SIZE, SN_MARK_COLOR(36, 41, 52, 255), AMBER);
        lock.offset[0] = right;
        lock.offset[1] = -BADGE_UP;
        sn_mark_add(list, &lock);
        return;
    }
    for (size_t i = 0; i < sizeof badges / sizeof badges[0]; ++i) {
        if (locks & badges[i].lock) {
            sn_render_mark badge =
                mark_at(look->start, badges[i].shape, BADGE_SIZE, badges[i].fill, SN_MARK_COLOR(255, 255, 255, 255));
            badge.offset[0] = right;
            badge.offset[1] = -BADGE_UP;
            right += BADGE_STEP;
            sn_mark_add(list, &badge);
        }
    }
}

/* ---- handles ---- */

static void add_icon(sn_mark_list *list, const double place[3], uint32_t shape, float size, const sn_handle_look *look,
                     bool is_hovered)
{
    const uint32_t fill = look->is_ahead ? MIST : look->locks & look->scalars ? AMBER : PAPER;
    const float larger = is_hovered ? 1.3F : 1;
    if (look->is_selected) {
        const sn_render_mark ring = mark_at(place, shape, size * larger + 4, BLUE, INK);
        sn_mark_add(list, &ring);
    }
    const sn_render_mark icon = mark_at(place, shape, size * larger, fill, INK);
    sn_mark_add(list, &icon);
}

void sn_mark_handle(sn_mark_list *list, sn_handle_shape shape, const sn_handle_look *look)
{
    const bool is_start_hovered = look->is_hovered && !look->is_end_hovered;
    if (shape == SN_HANDLE_SHAPE_BONE) {
        const uint32_t fill = look->is_ahead ? MIST : look->locks & look->scalars ? AMBER : PAPER;
        sn_render_mark bone = mark_at(look->start, SN_MARK_BONE, BONE_SIZE, fill, look->is_selected ? BLUE : INK);
        for (int d = 0; d < 3; ++d) {
            bone.to[d] = (float)look->end[d];
        }
        sn_mark_add(list, &bone);
        sn_handle_look end = *look;
        end.is_selected = false;
        add_icon(list, look->end, SN_MARK_DISC, JOINT_SIZE, &end, look->is_end_hovered);
    }
    const bool is_corner = shape == SN_HANDLE_SHAPE_CAGE;
    const float size = shape == SN_HANDLE_SHAPE_BONE ? JOINT_SIZE : is_corner ? CORNER_SIZE : POINT_SIZE;
    add_icon(list, look->start, is_corner ? SN_MARK_SQUARE : SN_MARK_DISC, size, look, is_start_hovered);
    add_badges(list, look);
}

/* ---- a model without an editor ---- */

static void apply(const float *m, const double *point, double *result)
{
    for (int d = 0; d < 3; ++d) {
        result[d] = (double)m[4 * d] * point[0] + (double)m[4 * d + 1] * point[1] + (double)m[4 * d + 2] * point[2] +
                    (double)m[4 * d + 3];
    }
}

static void mark_model_edge(sn_mark_list *list, const sn_model *model, const float *bones, int32_t a, int32_t b)
{
    double pivots[2][3], from[3], to[3];
    sn_model_bone_pivot(model, a, pivots[0]);
    sn_model_bone_pivot(model, b, pivots[1]);
    apply(bones + 12 * (size_t)a, pivots[0], from);
    apply(bones + 12 * (size_t)b, pivots[1], to);
    sn_mark_edge(list, from, to, false);
}

static void mark_model_cages(sn_mark_list *list, const sn_model *model, const float *bones)
{
    for (int i = 0; i < model->counts.cage_edge_count; ++i) {
        mark_model_edge(list, model, bones, model->cage_edges[2 * i], model->cage_edges[2 * i + 1]);
    }
    for (int f = 0; f < model->counts.cage_face_count; ++f) {
        const int32_t first = model->cage_face_starts[f], end = model->cage_face_starts[f + 1];
        for (int32_t i = first; i < end; ++i) {
            const int32_t next = model->cage_corners[i + 1 < end ? i + 1 : first];
            if (model->cage_corners[i] < next) { /* each edge occurs in two faces */
                mark_model_edge(list, model, bones, model->cage_corners[i], next);
            }
        }
    }
}

int sn_model_mark_count(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    return SN_HANDLE_MARKS * c->bone_count + c->cage_edge_count + c->cage_corner_count;
}

void sn_mark_model(sn_mark_list *list, const sn_model *model, const float *bones, const uint8_t *locks)
{
    mark_model_cages(list, model, bones);
    for (int bone = 0; bone < sn_model_bone_count(model); ++bone) {
        const sn_edit_handle handle = sn_edit_handle_of(model, bone);
        sn_handle_look look = {.locks = locks ? locks[bone] : 0, .scalars = sn_bone_scalars(model, bone)};
        apply(bones + 12 * (size_t)bone, handle.start, look.start);
        apply(bones + 12 * (size_t)bone, handle.end, look.end);
        sn_mark_handle(list, handle.shape, &look);
    }
}
