/* SPDX-License-Identifier: MIT */
/* Data shared by the renderer and shaders/draw. Members are vec4 and mat4 only, so that C layout and std140 agree. */
#ifndef SN_SHADERS_SHARED_DRAW_H
#define SN_SHADERS_SHARED_DRAW_H

#ifdef __STDC_VERSION__
#define SN_VEC4(name) float name[4]
#define SN_MAT4(name) float name[16]
#else
#define SN_VEC4(name) vec4 name
#define SN_MAT4(name) mat4 name
#endif

/* Bindings of set 0: data of the frame. */
#define SN_FRAME_CONSTANTS 0
#define SN_FRAME_TRANSFORMS 1
#define SN_FRAME_SHADOW 2       /* comparison sampler */
#define SN_FRAME_SHADOW_DEPTH 3 /* the same image, sampled as depth */
#define SN_FRAME_CONTACT 4      /* height of the lowest surface above the ground */
#define SN_FRAME_COVER 5        /* fraction of the sky that bodies hide from the ground */
#define SN_FRAME_MORPHS 6       /* morph target weights */
#define SN_FRAME_BINDING_COUNT 7

/* Width of the cover map in widths of the contact map: bodies also shade the ground around them. */
#define SN_COVER_WIDTH 1.6
/* Depth of the contact map in radii of the bounds, and the fraction of it below the ground, for feet that penetrate it.
 */
#define SN_CONTACT_DEPTH 1.25
#define SN_CONTACT_BELOW 0.25

/* Bindings of set 2, the material: constants, then textures in the order of sn_texture_use and sn_toon_texture_use. */
#define SN_MATERIAL_CONSTANTS 0
#define SN_MATERIAL_TEXTURES 1
#define SN_MATERIAL_TOON_TEXTURES 6
#define SN_MATERIAL_BINDING_COUNT 12

/* Values of the specialization constants. */
#define SN_DEPTH_OF_SHADOW 0
#define SN_DEPTH_OF_CONTACT 1
#define SN_DRAW_OPAQUE 0
#define SN_DRAW_MASK 1
#define SN_DRAW_BLEND 2
#define SN_DRAW_SOLID 3       /* what is opaque of a blended material; it is drawn first and hides what is behind it */
#define SN_DRAW_BLEND_DEPTH 4 /* SN_DRAW_BLEND that writes depth; shaders do not know it */
#define SN_DRAW_MODE_COUNT 5
#define SN_DRAW_LIT 0
#define SN_DRAW_UNLIT 1
#define SN_DRAW_TOON 2
#define SN_DRAW_OUTLINE 3
#define SN_DRAW_STYLE_COUNT 4

struct sn_frame_constants {
    SN_MAT4(view_projection);
    SN_MAT4(shadow_projection);
    SN_MAT4(contact_projection);
    SN_VEC4(eye);
    SN_VEC4(light_right); /* right, up and along are the light's axes; the origin is the center of the bounds */
    SN_VEC4(light_up);
    SN_VEC4(light_along); /* w: size of the light */
    SN_VEC4(light_radiance);
    SN_VEC4(sky);
    SN_VEC4(ground);
    SN_VEC4(background); /* w: 1 for a glow behind the center of the image */
    SN_VEC4(bounds);     /* center, radius */
    SN_VEC4(shadow);     /* map width and depth, texel width (m) */
    SN_VEC4(
        floor_plane); /* height, 1 if there is a ground, width of the contact map (m), 1 / texels of the cover map */
    SN_VEC4(screen);  /* width, height, 1 / width, 1 / height */
    SN_VEC4(overlay); /* markers: pixels per unit, opacity where hidden; seconds, for moving textures */
};

struct sn_material_constants {
    SN_VEC4(base_color);
    SN_VEC4(emissive); /* w: alpha cutoff */
    SN_VEC4(surface);  /* metallic, roughness, normal scale (0: no normal map), occlusion strength */
    SN_VEC4(uv_sets);  /* 0 or 1, for the first four textures */
    SN_VEC4(more);     /* UV set of the emissive texture; 1 for a toon material */
    SN_VEC4(shade);    /* color, toony */
    SN_VEC4(shading);  /* shift, scale of its texture, rim lift */
    SN_VEC4(matcap);   /* factor, UV rotation (radians/s) */
    SN_VEC4(rim);      /* color, Fresnel power */
    SN_VEC4(outline);  /* color, width (model units; negative: fraction of the picture's height) */
    SN_VEC4(movement); /* UV scroll (per second), outline lighting mix */
};

#endif
