/* SPDX-License-Identifier: MIT */
/* sinew sim SCENE.json */
#ifndef SN_TOOLS_SIM_SCENE_H
#define SN_TOOLS_SIM_SCENE_H

#include <stdbool.h>

typedef struct sn_sim_scene_arguments {
    const char *scene;  /* a scene file, or a built-in one's name */
    const char *dump;   /* or null */
    const char *device; /* with is_on_device, or null */
    int frames;         /* 0: the scene's seconds */
    int threads;
    bool is_on_device;        /* the scene's world steps there */
    bool is_single_precision; /* its coupled bodies without doubles */
    bool is_json;
} sn_sim_scene_arguments;

/* An exit code. */
int sn_sim_scene(const sn_sim_scene_arguments *arguments);

#endif
