/* SPDX-License-Identifier: MIT */
/* sinew sim for a scene. */
#ifndef SN_TOOLS_SIM_SCENE_H
#define SN_TOOLS_SIM_SCENE_H

#include <stdbool.h>

typedef struct sn_sim_scene_arguments {
    const char *scene;  /* a scene file or the name of a built-in scene */
    const char *dump;   /* or null */
    const char *device; /* device name, with is_on_device; or null */
    int frames;         /* 0: the scene's own length */
    int threads;
    bool is_on_device;        /* simulate on the GPU */
    bool is_single_precision; /* coupled bodies use single precision */
    bool is_json;
} sn_sim_scene_arguments;

/* Returns an exit code. */
int sn_sim_scene(const sn_sim_scene_arguments *arguments);

#endif
