/* SPDX-License-Identifier: MIT */
/* What the renderer in C and the shaders in shaders/draw share. Only vec4 and mat4 members, so that the layouts of C
 * and std140 agree. */
#ifndef SN_SHADERS_SHARED_DRAW_H
#define SN_SHADERS_SHARED_DRAW_H

#ifdef __STDC_VERSION__
#define SN_VEC4(name) float name[4]
#define SN_MAT4(name) float name[16]
#else
#define SN_VEC4(name) vec4 name
#define SN_MAT4(name) mat4 name
#endif

/* Bindings of set 0, the frame. */
#define SN_FRAME_CONSTANTS 0
#define SN_FRAME_TRANSFORMS 1
#define SN_FRAME_SHADOW 2       /* compares */
#define SN_FRAME_SHADOW_DEPTH 3 /* the same image, its depths */
#define SN_FRAME_CONTACT 4      /* how high above the ground the lowest thing is */
#define SN_FRAME_COVER 5        /* the share of the sky that bodies take from the ground */
#define SN_FRAME_MORPHS 6       /* weights of morph targets */
#define SN_FRAME_BINDING_COUNT 7

/* Width of the cover map in widths of the contact map: bodies take light from the ground beside them too. */
#define SN_COVER_WIDTH 1.6
/* Depth of the contact map in radii of the bounds, and the part of it that lies below the ground, for feet that sink
 * in. */
#define SN_CONTACT_DEPTH 1.25
#define SN_CONTACT_BELOW 0.25

/* Bindings of set 2, the material: its constants, then its textures in the order of sn_texture_use. */
#define SN_MATERIAL_CONSTANTS 0
#define SN_MATERIAL_TEXTURES 1
#define SN_MATERIAL_BINDING_COUNT 6

/* Values of the specialization constants. */
#define SN_DEPTH_OF_SHADOW 0
#define SN_DEPTH_OF_CONTACT 1
#define SN_DRAW_OPAQUE 0
#define SN_DRAW_MASK 1
#define SN_DRAW_BLEND 2

struct sn_frame_constants {
    SN_MAT4(view_projection);
    SN_MAT4(shadow_projection);
    SN_MAT4(contact_projection);
    SN_VEC4(eye);
    SN_VEC4(light_right); /* right, up and along span the light's frame; its origin is the centre of the bounds */
    SN_VEC4(light_up);
    SN_VEC4(light_along); /* w: the light's size */
    SN_VEC4(light_radiance);
    SN_VEC4(sky);
    SN_VEC4(ground);
    SN_VEC4(background);  /* w: 1 where it glows behind the middle of the picture */
    SN_VEC4(bounds);      /* centre, radius */
    SN_VEC4(shadow);      /* width and depth of the map in metres, width of a texel in metres */
    SN_VEC4(floor_plane); /* height, 1 where there is a ground, width of the contact map in metres, 1 / texels of the
                             cover map */
    SN_VEC4(screen);      /* width, height, and one over them */
    SN_VEC4(overlay);     /* of marks: pixels a unit, what is left of them where they are hidden */
};

struct sn_material_constants {
    SN_VEC4(base_color);
    SN_VEC4(emissive); /* w: alpha cutoff */
    SN_VEC4(surface);  /* metallic, roughness, normal scale (0: no normal map), occlusion strength */
    SN_VEC4(uv_sets);  /* 0 or 1, of the first four textures */
    SN_VEC4(more);     /* uv set of the emissive texture */
};

#endif
