/* SPDX-License-Identifier: MIT */
#include "scenes/builtin/demos.h"

#define COUNT(array) (int)(sizeof(array) / sizeof(array)[0])

/* ---- the flat fish ---- */

static const double fish_points[][2] = {
    {0.5, 0.0},     {0.46, 0.05},   {0.38, 0.11},   {0.25, 0.165},  {0.14, 0.19},   {0.06, 0.25},   {-0.04, 0.27},
    {-0.06, 0.17},  {-0.18, 0.11},  {-0.3, 0.055},  {-0.38, 0.07},  {-0.46, 0.15},  {-0.52, 0.19},  {-0.5, 0.09},
    {-0.475, 0.0},  {-0.5, -0.09},  {-0.52, -0.19}, {-0.46, -0.15}, {-0.38, -0.07}, {-0.3, -0.055}, {-0.18, -0.1},
    {-0.06, -0.15}, {-0.08, -0.22}, {0.03, -0.22},  {0.12, -0.175}, {0.26, -0.15},  {0.38, -0.105}, {0.46, -0.05}};

static const sn_scene_spot fish_spots[] = {
    {{0.12, 0}, {0.018, 0.3}, {0.96F, 0.93F, 0.86F}},    {{-0.16, 0}, {0.016, 0.3}, {0.96F, 0.93F, 0.86F}},
    {{-0.53, 0.15}, {0.08, 0.1}, {0.95F, 0.72F, 0.25F}}, {{-0.53, -0.15}, {0.08, 0.1}, {0.95F, 0.72F, 0.25F}},
    {{0.36, 0.04}, {0.036, 0.036}, {1, 1, 1}},           {{0.37, 0.04}, {0.018, 0.018}, {0.06F, 0.06F, 0.08F}}};

const sn_scene_shape sn_demo_fish = {.type = SN_SHAPE_OUTLINE,
                                     .edge_length = 0.018,
                                     .points = fish_points,
                                     .point_count = COUNT(fish_points),
                                     .paint = {.top = {0.86F, 0.33F, 0.14F},
                                               .bottom = {0.97F, 0.66F, 0.28F},
                                               .spots = fish_spots,
                                               .spot_count = COUNT(fish_spots)}};

static const sn_cook_handle fish_handles[] = {
    {.shape = SN_HANDLE_SHAPE_BONE, .name = "head", .parent = -1, .start = {0.34, 0}, .end = {0.16, 0}},
    {.shape = SN_HANDLE_SHAPE_BONE, .name = "chest", .parent = 0, .start = {0.12, 0}, .end = {-0.08, 0}},
    {.shape = SN_HANDLE_SHAPE_BONE, .name = "stem", .parent = 1, .start = {-0.12, 0}, .end = {-0.28, 0}},
    {.shape = SN_HANDLE_SHAPE_BONE, .name = "tail", .parent = 2, .start = {-0.32, 0}, .end = {-0.46, 0}}};

const sn_cook_handles sn_demo_fish_spine = {.name = "the fish", .count = COUNT(fish_handles), .handles = fish_handles};

/* ---- the solid fish ---- */

static const sn_scene_blob swimmer_blobs[] = {
    {{0.36, 0.01, 0}, {0.1, 0.02, 0}, 0.1, 0.15},          {{0.1, 0.02, 0}, {-0.14, 0.01, 0}, 0.15, 0.1},
    {{-0.14, 0.01, 0}, {-0.34, 0, 0}, 0.1, 0.045},         {{-0.34, 0, 0}, {-0.5, 0.15, 0}, 0.045, 0.035},
    {{-0.34, 0, 0}, {-0.5, -0.15, 0}, 0.045, 0.035},       {{0.06, 0.15, 0}, {-0.06, 0.25, 0}, 0.04, 0.03},
    {{0.12, -0.06, 0.1}, {0.0, -0.14, 0.22}, 0.035, 0.03}, {{0.12, -0.06, -0.1}, {0.0, -0.14, -0.22}, 0.035, 0.03}};

static const sn_scene_spot swimmer_spots[] = {
    {{0.16, 0}, {0.02, 0.3}, {0.96F, 0.93F, 0.86F}},      {{-0.12, 0}, {0.018, 0.3}, {0.96F, 0.93F, 0.86F}},
    {{-0.52, 0.16}, {0.08, 0.09}, {0.95F, 0.72F, 0.25F}}, {{-0.52, -0.16}, {0.08, 0.09}, {0.95F, 0.72F, 0.25F}},
    {{0.37, 0.045}, {0.034, 0.034}, {1, 1, 1}},           {{0.38, 0.045}, {0.018, 0.018}, {0.06F, 0.06F, 0.08F}}};

const sn_scene_shape sn_demo_swimmer = {.type = SN_SHAPE_BLOBS,
                                        .edge_length = 0.022,
                                        .blobs = swimmer_blobs,
                                        .blob_count = COUNT(swimmer_blobs),
                                        .blend = 0.06,
                                        .paint = {.top = {0.16F, 0.42F, 0.66F},
                                                  .bottom = {0.78F, 0.9F, 0.95F},
                                                  .spots = swimmer_spots,
                                                  .spot_count = COUNT(swimmer_spots)}};

/* ---- the calf ---- */

static const sn_scene_blob calf_blobs[] = {
    {{0, 0.1, 0.5}, {0, 0.08, -0.15}, 0.3, 0.31},                /* trunk */
    {{0, 0.2, -0.3}, {0, 0.48, -0.5}, 0.19, 0.16},               /* neck */
    {{0, 0.55, -0.52}, {0, 0.38, -0.86}, 0.2, 0.13},             /* head */
    {{0.14, 0.68, -0.44}, {0.34, 0.74, -0.38}, 0.06, 0.045},     /* left ear */
    {{-0.14, 0.68, -0.44}, {-0.34, 0.74, -0.38}, 0.06, 0.045},   /* right ear */
    {{0.17, -0.05, -0.22}, {0.18, -0.68, -0.24}, 0.12, 0.075},   /* left foreleg */
    {{-0.17, -0.05, -0.22}, {-0.18, -0.68, -0.24}, 0.12, 0.075}, /* right foreleg */
    {{0.17, -0.05, 0.55}, {0.18, -0.68, 0.6}, 0.13, 0.075},      /* left hind leg */
    {{-0.17, -0.05, 0.55}, {-0.18, -0.68, 0.6}, 0.13, 0.075},    /* right hind leg */
    {{0, 0.3, 0.76}, {0, -0.1, 0.95}, 0.05, 0.045},
    {{0, -0.1, 0.95}, {0, -0.2, 0.97}, 0.06, 0.05}, /* tail */
};

static const sn_scene_spot calf_spots[] = {
    {{0.28, 0.22}, {0.2, 0.15}, {0.28F, 0.2F, 0.16F}},    {{-0.1, 0.05}, {0.12, 0.16}, {0.28F, 0.2F, 0.16F}},
    {{0.66, 0.02}, {0.1, 0.12}, {0.28F, 0.2F, 0.16F}},    {{-0.46, 0.72}, {0.07, 0.09}, {0.28F, 0.2F, 0.16F}},
    {{-0.93, 0.36}, {0.12, 0.12}, {0.93F, 0.66F, 0.62F}}, {{-0.66, 0.56}, {0.04, 0.05}, {0.06F, 0.05F, 0.06F}},
    {{0.2, -0.75}, {1.2, 0.08}, {0.22F, 0.18F, 0.16F}}};

const sn_scene_shape sn_demo_calf = {.type = SN_SHAPE_BLOBS,
                                     .edge_length = 0.05,
                                     .blobs = calf_blobs,
                                     .blob_count = COUNT(calf_blobs),
                                     .blend = 0.12,
                                     .paint = {.is_from_x = true,
                                               .top = {0.95F, 0.92F, 0.86F},
                                               .bottom = {0.86F, 0.8F, 0.72F},
                                               .spots = calf_spots,
                                               .spot_count = COUNT(calf_spots)}};
