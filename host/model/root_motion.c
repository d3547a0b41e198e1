/* SPDX-License-Identifier: MIT */
#include "host/model/root_motion.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "host/math/affine.h"

#define PI 3.14159265358979323846
#define START 0.25            /* seconds at rest before each motion */
#define MIN_UPRIGHT 0.5       /* mean cosine of the angles between the bones' verticals and that of the world */
#define MIN_HEIGHT_FRACTION 4 /* the longest side over the least height */

#define GRAVITY 6.0 /* heights/s^2: of a figure of 1.6 m */
#define JUMP_HEIGHT 0.5
#define CROUCH 0.15
#define CROUCH_SECONDS 0.3
#define RISE_SECONDS 0.4
#define JUMP_REST 1.0

#define DASH_SPEED 2.0 /* heights/s */
#define DASH_START 0.15
#define DASH_RUN 0.6
#define DASH_STOP 0.1
#define DASH_REST 2.5

#define SHAKE_HERTZ 2.0
#define SHAKE_ANGLE (PI / 4)
#define SHAKE_SIDE 0.05
#define SHAKE_RAMP 0.25
#define SHAKE_SECONDS 2.0
#define SHAKE_REST 0.75

#define TURN_SECONDS 0.8
#define TURN_HOLD 0.8
#define TURN_REST 0.6

double sn_model_pose_height(const sn_model *model, const double *pose, double *centre)
{
    sn_surface surface = sn_model_surface(model);
    surface.mode_count = 0;
    double low[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, high[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX}, longest = 0;
    for (int v = 0; v < surface.vertex_count; ++v) {
        double position[3];
        sn_skin_vertex(&surface, v, pose, NULL, NULL, position, NULL, NULL);
        for (int d = 0; d < 3; ++d) {
            low[d] = fmin(low[d], position[d]);
            high[d] = fmax(high[d], position[d]);
        }
    }
    for (int d = 0; d < 3; ++d) {
        centre[d] = surface.vertex_count > 0 ? 0.5 * (low[d] + high[d]) : 0;
        longest = fmax(longest, high[d] - low[d]);
    }
    return surface.vertex_count > 0 ? fmax(high[1] - low[1], longest / MIN_HEIGHT_FRACTION) : model->diagonal;
}

static const char *const names[SN_ROOT_MOTION_COUNT] = {"jump", "dash", "shake", "turn"};

const char *sn_root_motion_name(sn_root_motion_type type)
{
    return names[type];
}

bool sn_root_motion_find(const char *name, sn_root_motion_type *type)
{
    for (int i = 0; i < SN_ROOT_MOTION_COUNT; ++i) {
        if (strcmp(name, names[i]) == 0) {
            *type = (sn_root_motion_type)i;
            return true;
        }
    }
    return false;
}

/* Whether the name contains the word (in small letters), in any case. */
static bool contains(const char *name, const char *word)
{
    for (; *name; ++name) {
        size_t length = 0;
        while (word[length] && tolower((unsigned char)name[length]) == word[length]) {
            ++length;
        }
        if (!word[length]) {
            return true;
        }
    }
    return false;
}

int sn_model_find_clip_of(const sn_model *model, const char *word)
{
    int found = -1;
    for (int clip = 0; clip < model->counts.clip_count; ++clip) {
        const char *name = sn_model_clip_name(model, clip);
        const bool is_shorter = found < 0 || strlen(name) < strlen(sn_model_clip_name(model, found));
        found = is_shorter && contains(name, word) ? clip : found;
    }
    return found;
}

/* The first pose of a clip; -1: the rest pose. */
static void sample_start(const sn_model *model, int clip, double *pose)
{
    if (clip >= 0) {
        sn_model_sample_clip(model, clip, 0, pose);
    } else {
        sn_model_rest_pose(model, pose);
    }
}

/* The clip whose first pose is upright, where the rest pose is not; -1: the rest pose is. pose is scratch. */
static int find_upright_clip(const sn_model *model, double *pose)
{
    const int idle = sn_model_find_clip_of(model, "idle"), clip = idle >= 0 ? idle : 0;
    double sum = 0;
    if (model->counts.clip_count == 0 || sn_model_has_rest_pose_only(model)) {
        return -1;
    }
    sample_start(model, clip, pose);
    for (int bone = 0; bone < model->counts.bone_count; ++bone) { /* the clip turns the bind pose's vertical */
        const double *m = pose + 12 * (size_t)bone, length = sqrt(m[1] * m[1] + m[5] * m[5] + m[9] * m[9]);
        sum += length > 0 ? m[5] / length : 1;
    }
    return sum < MIN_UPRIGHT * model->counts.bone_count ? clip : -1;
}

bool sn_model_upright_pose(const sn_model *model, double *pose)
{
    const int clip = find_upright_clip(model, pose);
    sample_start(model, clip, pose);
    return clip < 0;
}

void sn_root_motion_init(const sn_model *model, sn_root_motion_type type, double *pose, sn_root_motion *motion)
{
    *motion = (sn_root_motion){.model = model, .type = type, .clip = sn_model_find_clip_of(model, "idle")};
    const int upright = find_upright_clip(model, pose);
    sample_start(model, upright, pose);
    motion->height = sn_model_pose_height(model, pose, motion->centre);
    if (motion->clip >= 0 && motion->clip != upright) {
        sample_start(model, motion->clip, pose);
        sn_model_pose_height(model, pose, motion->centre);
    } else {
        motion->clip = upright;
    }
}

/* From 0 at time 0 to 1 at `length`, with zero velocity at both ends. */
static double ease(double time, double length)
{
    const double t = fmin(fmax(time / length, 0), 1);
    return 0.5 - 0.5 * cos(PI * t);
}

/* The feet leave the ground when the legs are straight, and touch it again so; both crouches have constant
 * acceleration. */
static double jump_height(double time)
{
    const double speed = sqrt(2 * GRAVITY * JUMP_HEIGHT), push = 2 * CROUCH / speed, flight = 2 * speed / GRAVITY;
    const double acceleration = speed / push;
    if ((time -= CROUCH_SECONDS) < 0) {
        return -CROUCH * ease(time + CROUCH_SECONDS, CROUCH_SECONDS);
    }
    if (time < push) {
        return -CROUCH + 0.5 * acceleration * time * time;
    }
    if ((time -= push) < flight) {
        return speed * time - 0.5 * GRAVITY * time * time;
    }
    if ((time -= flight) < push) {
        return -speed * time + 0.5 * acceleration * time * time;
    }
    return -CROUCH * (1 - ease(time - push, RISE_SECONDS));
}

static double jump_seconds(void)
{
    const double speed = sqrt(2 * GRAVITY * JUMP_HEIGHT);
    return CROUCH_SECONDS + 4 * CROUCH / speed + 2 * speed / GRAVITY + RISE_SECONDS + JUMP_REST;
}

static double dash_distance(double time)
{
    const double start = fmin(fmax(time, 0), DASH_START), run = fmin(fmax(time - DASH_START, 0), DASH_RUN);
    const double stop = fmin(fmax(time - DASH_START - DASH_RUN, 0), DASH_STOP);
    return DASH_SPEED * (0.5 * start * start / DASH_START + run + stop - 0.5 * stop * stop / DASH_STOP);
}

double sn_root_motion_seconds(const sn_root_motion *motion)
{
    switch (motion->type) {
    case SN_ROOT_MOTION_JUMP:
        return START + jump_seconds();
    case SN_ROOT_MOTION_DASH:
        return SN_ROOT_MOTION_DASH_END + DASH_REST;
    case SN_ROOT_MOTION_SHAKE:
        return START + SHAKE_SECONDS + SHAKE_REST;
    default:
        return START + 2 * TURN_SECONDS + TURN_HOLD + TURN_REST;
    }
}

/* A rotation about an axis (0: x, 1: y, 2: z) through the centre, then a translation. */
static void rotate(const sn_root_motion *motion, int axis, double angle, const double *translation, double *transform)
{
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    double turned[3];
    sn_affine_identity(transform);
    transform[4 * i + i] = transform[4 * j + j] = cos(angle);
    transform[4 * j + i] = sin(angle);
    transform[4 * i + j] = -sin(angle);
    sn_affine_apply(transform, motion->centre, turned);
    for (int d = 0; d < 3; ++d) {
        transform[4 * d + 3] = motion->centre[d] - turned[d] + motion->height * translation[d];
    }
}

/* The transform of the whole rig. A flat body stays in its plane. */
static void root_transform(const sn_root_motion *motion, double time, double *transform)
{
    const bool is_flat = sn_model_is_flat(motion->model);
    double translation[3] = {0}, angle = 0;
    int axis = 2;
    if (motion->type == SN_ROOT_MOTION_JUMP) {
        translation[1] = jump_height(fmax(time, 0));
    } else if (motion->type == SN_ROOT_MOTION_DASH) {
        translation[is_flat ? 0 : 2] = dash_distance(time);
    } else if (motion->type == SN_ROOT_MOTION_SHAKE) {
        const double ramp = ease(time, SHAKE_RAMP) * (1 - ease(time - SHAKE_SECONDS + SHAKE_RAMP, SHAKE_RAMP));
        const double swing = ramp * sin(2 * PI * SHAKE_HERTZ * time);
        angle = SHAKE_ANGLE * swing;
        axis = is_flat ? 2 : 1;
        translation[0] = SHAKE_SIDE * swing;
    } else {
        angle = PI * (ease(time, TURN_SECONDS) - ease(time - TURN_SECONDS - TURN_HOLD, TURN_SECONDS));
        axis = is_flat ? 2 : 0;
    }
    rotate(motion, axis, angle, translation, transform);
}

void sn_root_motion_pose(const sn_root_motion *motion, double seconds, double *pose)
{
    double transform[12];
    const double end = sn_root_motion_seconds(motion);
    root_transform(motion, fmin(fmax(seconds, 0), end) - START, transform);
    sample_start(motion->model, motion->clip, pose);
    for (int bone = 0; bone < motion->model->counts.bone_count; ++bone) {
        double base[12];
        memcpy(base, pose + 12 * (size_t)bone, sizeof base);
        sn_affine_multiply(transform, base, pose + 12 * (size_t)bone);
    }
}
