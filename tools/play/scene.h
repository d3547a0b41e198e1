/* SPDX-License-Identifier: MIT */
/* sinew play --scene and --list. */
#ifndef SN_TOOLS_PLAY_SCENE_H
#define SN_TOOLS_PLAY_SCENE_H

#include <stdbool.h>

typedef struct sn_play_scene_arguments {
    const char *record;               /* or null */
    const char *scene;                /* a name, or a scene file */
    const char *out, *sheet, *device; /* as play has them; or null */
    int frames, width, height, threads;
    bool is_on_device; /* the scene's world steps there */
    bool is_single;    /* its coupled bodies without doubles */
    double xr_height;  /* metres, or 0 */
    bool is_headless, is_xr, is_validated, is_json, has_handles;
} sn_play_scene_arguments;

/* An exit code. */
int sn_play_scene(const sn_play_scene_arguments *arguments);

/* Names of the built-in scenes and what they show. */
int sn_list_scenes(bool is_json);

#endif
