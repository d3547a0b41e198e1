/* SPDX-License-Identifier: MIT */
/* Cooking: a character's files to a model. Tools link this; games need not. Binaries that do are GPL-3+ as a whole
 * (CHOLMOD's Supernodal module, and Draco; GPL-2+ without the latter). */
#ifndef SINEW_AUTHOR_H
#define SINEW_AUTHOR_H

#include "sinew/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sn_cook_stage {
    SN_COOK_READ,
    SN_COOK_MESH,
    SN_COOK_WEIGHTS,
    SN_COOK_MODES,
    SN_COOK_CLUSTERS,
    SN_COOK_PRECOMPUTE,
    SN_COOK_WRITE,
    SN_COOK_STAGE_COUNT
} sn_cook_stage;

/* "read", "mesh", "weights", "modes", "clusters", "precompute", "write" */
SN_API const char *sn_cook_stage_name(sn_cook_stage stage);

typedef enum sn_cook_units {
    SN_UNITS_UNIT, /* centroid to the origin, box diagonal to 1 */
    SN_UNITS_KEEP  /* coordinates as they are */
} sn_cook_units;

/* The momentum leak D, diagonal, of J^T M D u = 0: what of the rig's momentum the flesh may carry, so that it follows
 * through (Zhang et al. 2020, "Complementary Dynamics"; the diffusion of Benchekroun et al. 2023). */
typedef enum sn_cook_leak {
    SN_LEAK_AUTO,  /* the sidecar's, or: momentum leaks where diffusion from the surface reaches */
    SN_LEAK_NONE,  /* D = 1: the flesh may not carry any of the rig's momentum, but where the sidecar's materials and
                      bones say otherwise */
    SN_LEAK_ALL,   /* D = 0 everywhere: modes need not be complementary to the rig. A body that nothing else holds falls
                      and drifts freely */
    SN_LEAK_VALUES /* leak_values */
} sn_cook_leak;

/* What owes nothing to the rig, J^T M D u = 0. With coordinates flesh moves nearer to what it does without a subspace,
 * and every bone takes the room of a mode: for rigs of few. See docs/characters.md, "Complementary to what". */
typedef enum sn_cook_complementary {
    SN_COMPLEMENTARY_AUTO,       /* the sidecar's, or by the rig: docs/characters.md, "Complementary to what" */
    SN_COMPLEMENTARY_WEIGHTS,    /* every mode by itself, whatever affine motion it is given */
    SN_COMPLEMENTARY_COORDINATES /* what modes do together, exactly, at all levels of detail */
} sn_cook_complementary;

/* Levels of clusters besides the finest. */
#define SN_COARSE_LEVEL_LIMIT 2

typedef enum sn_cook_morphs {
    SN_MORPHS_AUTO, /* the sidecar's, or felt */
    SN_MORPHS_FELT, /* flesh under morph targets is shaken by them */
    SN_MORPHS_DRAWN /* they move what is drawn alone */
} sn_cook_morphs;

typedef enum sn_cook_loose {
    SN_LOOSENESS_AUTO, /* bones that the sidecar or the file names */
    SN_LOOSENESS_NONE,
    SN_LOOSENESS_SPRINGS /* and spring bones that no clip moves */
} sn_cook_loose;

/* ---- handles: bones of your own ---- */

typedef enum sn_handle_shape {
    SN_HANDLE_SHAPE_POINT, /* start */
    SN_HANDLE_SHAPE_BONE,  /* start: its head, end: its tail */
    SN_HANDLE_SHAPE_CAGE   /* start: a cage's vertex, which has a place alone */
} sn_handle_shape;

typedef struct sn_cook_handle {
    sn_handle_shape shape;
    const char *name; /* or null: "bone 3" */
    int parent; /* of a point or a bone: the handle (a point or a bone) that carries its start, or -1: none. No cycles
                 */
    double start[3], end[3];
    double radius;     /* of a bone: it has all flesh within; 0: a chain of vertices along it */
    bool is_stretched; /* coupled bodies may stretch it */
} sn_cook_handle;

/* Handles become the bones, in this order. Weights are bounded biharmonic ones over the body (Jacobson et al. 2011). */
typedef struct sn_cook_handles {
    const char *name; /* for messages; null: "handles" */
    int count;
    const sn_cook_handle *handles;
    int edge_count;
    const int32_t *edges; /* (edge_count x 2) of cages that are loops: handles, cages' vertices */
    int triangle_count;
    const int32_t *triangles; /* (triangle_count x 3) of closed cages around a solid body, turned alike */
    int face_count;           /* more faces of these, of three corners or more */
    const int32_t *face_starts, *face_corners; /* (face_count + 1), (face_starts[face_count]) */
} sn_cook_handles;

/* ---- colliders on bones ---- */

/* A solid on a bone, in the bone's own frame at bind and in the input's units. It moves with the bone and keeps out
 * flesh of this body that loose bones move (docs/characters.md, "Colliders on bones"). */
typedef struct sn_cook_collider {
    const char *bone;
    sn_collider_shape shape;  /* a plane, sphere or capsule */
    double offset[3];         /* the middle of a sphere, one end of a capsule's axis, a point of a plane */
    double tail[3];           /* of a capsule: the other end */
    double normal[3];         /* of a plane, any length but 0: solid on the other side */
    double radius, friction;  /* >= 0 */
    const char *const *flesh; /* (flesh_count) loose bones: what they and what hangs on them move feels it */
    int flesh_count;          /* 0: all flesh of loose bones does */
} sn_cook_collider;

/* ---- fibres of layered bodies ---- */

#define SN_CURVE_LIMIT 256
#define SN_CURVE_POINT_LIMIT 1024

/* A rational B-spline (NURBS) in the input's units. Fibres go along it. */
typedef struct sn_cook_curve {
    int degree;            /* 1 to 7, less than point_count; 0: 3, or what its points allow */
    int point_count;       /* 2 to SN_CURVE_POINT_LIMIT */
    const double *points;  /* (point_count x 3) control points, coordinates within 1e30 */
    const double *weights; /* (point_count) > 0, finite, or null: all 1 */
    const double *knots;   /* (point_count + degree + 1) ascending, of one value no more than untorn curves have;
                              null: even, the curve ends at its outer points */
    double normal[3];      /* what axis 2 is at its start, as far as that is across the curve; 0: up */
    double reach;          /* >= 0: vertices so near have the curve's axes; 0: those a tet away */
} sn_cook_curve;

/* How much stiffer, or softer, flesh is along its fibres (axis 1) than across (docs/characters.md, "Layered bodies").
 * Factors are 1e-6 to 1e6, or 0: 1. */
typedef struct sn_cook_fibres {
    const char *name;  /* for messages; null: "fibres" */
    double stretch[3]; /* along axes 1, 2, 3 */
    double shear[3];   /* between 12, 13, 23 */
    int curve_count;   /* up to SN_CURVE_LIMIT; 0: fibres go along the bones */
    const sn_cook_curve *curves;
} sn_cook_fibres;

/* Numbers of yours, one an element of the input, in its order. */
typedef struct sn_cook_values {
    const double *values; /* (count) */
    size_t count;         /* 0: none */
    const char *name;     /* for messages, or null */
} sn_cook_values;

/* Called before each stage and, within long ones, again; return false to stop the cook with SN_ERROR_CANCELLED. */
typedef bool sn_cook_progress_function(sn_cook_stage stage, void *user);

typedef struct sn_cook_desc {
    const char *tets_path;          /* a tet mesh for a surface, or null: the mesher makes one */
    const char *rig_path;           /* rig JSON, handles (.tgf, char_cfg.yaml), or null: the file's own, the sidecar's
                                       handles, or one affine handle */
    const sn_cook_handles *handles; /* in the input's units (of drawings y up); in place of all those. Or null */
    const char *weights_path;       /* weights of handles as they are: .npy or .dmat, in place of the rig's. Or null */
    const char *mask_path;          /* of a picture: what of it is the body, or null: where it is opaque */
    int tet_vertex_count;           /* of the tets that are made for a surface, about; 0: 10000 */
    int drawing_vertex_count;       /* of a picture's lattice, about; 0: 1500 */
    const char *const *clip_paths;  /* (clip_count) clip JSON, of the rig's bones; .bvh, .vrma, .glb, .gltf, .vrm, .fbx:
                                       motions of other skeletons (docs/characters.md) */
    int clip_count;
    int mode_count;    /* 0: the sidecar's, or 16 (with SN_COMPLEMENTARY_COORDINATES one more a bone), or as many as the
                          mesh has, less those that tear thin tips in the character's own motions; more than it has is an
                          error, and so are too few to leave any coordinate */
    double sparsity;   /* 0: smooth modes; 1 to 10: localised ones, which are zero over most of the body (compressed
                          modes, Brandt and Hildebrandt 2017; docs/characters.md). At most 100 */
    int cluster_count; /* before the split into connected pieces; 0: the sidecar's, or 100 */
    int coarse_cluster_counts[SN_COARSE_LEVEL_LIMIT]; /* of coarser levels, descending; 0: no more. All 0: 3/10 and 1/10
                                                         of the clusters, not fewer than 4 */
    int target_mode_count; /* modes for what morph targets do to flesh, besides mode_count, 0 to 96: at most so many.
                              Negative: the sidecar's, or up to 8, with sparsity 0. Those that expressions and clips
                              move come first */
    double target_shake;   /* how far flesh shakes at most, about, when a morph target comes within a tenth of a second,
                              of the target's movement: 0 to 10. Negative: the sidecar's, or .2. Flesh that would go
                              further feels less of the target's momentum */
    double young;   /* Pa, of the model in model units (see units). 0: for a surface what lets most of its flesh move by
                       .03 of its size in most of its clips; 1e4 for a tet mesh, where it is larger than 4 or smaller
                       than a quarter times its diagonal squared */
    double poisson; /* Poisson's ratio, at most .45; negative: the sidecar's, or 0 */
    double density; /* kg/m^3, > 0 */
    sn_cook_units units;
    double size; /* metres, 1e-7 to 1e7: of the model's diagonal, in place of the units; 0: by the units */
    sn_cook_morphs morphs;
    sn_cook_loose loose;               /* which bones flesh may lag behind: docs/characters.md */
    bool is_without_springs;           /* spring bones that are not loose stay out of the model, and never swing */
    const sn_cook_collider *colliders; /* (collider_count) besides the file's, where --loose springs takes its springs,
                                          and the sidecar's */
    int collider_count;
    bool is_coupled; /* for coupled bodies alone: no modes, no clusters, no trials, and what belongs to these is
                        ignored. Young's modulus then is 1e6 where none is given */
    bool is_layered; /* for layered bodies: as for coupled ones no modes and what belongs to these, but the vertices
                        that bones carry, and stiffnesses of strain. Young's modulus then is 5e4, Poisson's ratio .4
                        where none is given. No flat body, and not with is_coupled */
    const sn_cook_fibres *fibres; /* of layered bodies, in place of the sidecar's; or null */
    bool is_flat; /* the surface lies in a plane z = const and is a 2D body itself, of triangles instead of tets */
    sn_cook_complementary complementary;
    sn_cook_leak leak;
    const double *leak_values; /* (leak_count), one an input vertex, in [0,1] */
    size_t leak_count;
    const char *leak_name; /* for messages, or null */
    const double *rows; /* C (row_count x row_length): every mode's weights satisfy C w = 0, besides what the rig asks
                           for; an entry an input vertex, any rank, at most 4096 rows */
    size_t row_count, row_length;
    const char *rows_name; /* for messages, or null */
    const int32_t *pins;   /* (pin_count) input vertices that no mode moves, none twice, besides the sidecar's */
    size_t pin_count;
    const uint8_t *pin_mask; /* (pin_mask_count) the same, one an input vertex: 0 free, 1 pinned; or null */
    size_t pin_mask_count;
    const char *pin_name; /* for messages, or null */
    /* One a tet (of a flat body: a triangle), as the file or the mesher has them: multiples of Young's modulus and of
     * the density, 1e-6 to 1e6, on top of what is painted and what the sidecar says; Poisson's ratio, 0 to .45, in
     * place of all that */
    sn_cook_values tet_stiffness, tet_density, tet_poisson;
    const int32_t *labels; /* (label_count) a cluster a tet, never split; null: k-means */
    size_t label_count;
    const char *labels_name;             /* for messages, or null */
    sn_cook_progress_function *progress; /* or null */
    void *progress_user;
} sn_cook_desc;

/* Automatic modes, clusters, Young's modulus and Poisson's ratio, density 1e3 kg/m^3, unit size, automatic leak, morph
 * targets felt unless the sidecar says otherwise. */
SN_API sn_cook_desc sn_default_cook_desc(void);

typedef struct sn_cook_report {
    int vertex_count, tet_count /* of a flat body: triangles */, bone_count, mode_count, cluster_count, clip_count;
    int coarse_cluster_counts[SN_COARSE_LEVEL_LIMIT]; /* 0: no such level */
    int coordinate_count;                             /* of the flesh, on each axis: 4 a mode (3 of flat bodies),
                                                         less what depends on others or is barred */
    int barred_count;                                 /* of SN_COMPLEMENTARY_COORDINATES: what the rig takes */
    int pin_count;                                    /* vertices of the tet mesh that no mode moves */
    int loose_count;                                  /* bones that the flesh may lag behind: docs/characters.md */
    int bone_collider_count;                          /* on bones, that some of that flesh feels */
    int spring_count;                                 /* joints that swing by a VRM's own numbers */
    int morph_field_count, morph_pair_count;          /* of morph targets that flesh feels; see
                                                         docs/characters.md */
    int target_mode_count;                            /* modes that were added for these */
    int carried_count;                                /* of layered bodies: vertices that bones carry */
    int layer_count;                                  /* of tets around these */
    int curve_count;                                  /* of these bodies' fibres; 0: along bones, or none */
    bool has_fibres;
    int component_count;                                       /* face-connected pieces of the tet mesh */
    int bridge_count;                                          /* what the mesher had to join by virtual prisms */
    int outside_count, glued_count, torn_count, stretch_count; /* see docs/characters.md, "Tets" */
    double seconds[SN_COOK_STAGE_COUNT];
    double min_dihedral; /* degrees, over all tets */
    double young;        /* Pa, of the model */
} sn_cook_report;

typedef struct sn_blob {
    uint8_t *bytes; /* 64-byte aligned */
    size_t size;
} sn_blob;

/* Cooks the character at `path`: a tet mesh (.msh, .mesh), or a surface (.glb, .gltf, .vrm, .fbx, .obj, .off, .ply,
 * .stl) with its skin and clips, for which tets are made; or a drawing (.png, .jpg, char_cfg.yaml, NAME_ske.json),
 * which becomes a flat body of a lattice of triangles. (.fbx starts a program of its own: docs/formats.md.) The blob is
 * the content of a .sinew file; release it with sn_blob_release. Same input, same bytes. `report` may be null.
 * Thread-safe. Errors, one log line each that names the file, the place and the cause, with an empty blob:
 * SN_ERROR_ARGUMENT (a value of the desc is out of range, or does not suit the mesh), SN_ERROR_FILE, SN_ERROR_FORMAT,
 * SN_ERROR_UNSUPPORTED, SN_ERROR_NUMERIC (no modes are found), SN_ERROR_CANCELLED, SN_ERROR_MEMORY. */
SN_API sn_result sn_cook(const char *path, const sn_cook_desc *desc, sn_blob *blob, sn_cook_report *report);
/* Frees the bytes; an empty blob is fine. Models that were loaded from them must have been released. */
SN_API void sn_blob_release(sn_blob *blob);

/* A body of arrays, in place of a file: tets, or a surface, or, with is_flat, triangles in a plane. */
typedef struct sn_cook_mesh_input {
    const char *name; /* for messages; null: "mesh" */
    int vertex_count;
    const double *positions; /* (vertex_count x 3) */
    int triangle_count;
    const int32_t *triangles; /* (triangle_count x 3), counter-clockwise from outside */
    int tet_count;
    const int32_t *tets; /* (tet_count x 4) of the same vertices, in place of triangles; or null */
    const double *uvs;   /* (vertex_count x 2), v down, of triangles; or null */
    int texture_width, texture_height;
    const uint8_t *texture; /* (texture_height x texture_width x 4) sRGB with alpha, rows from the top; or null. A flat
                               body is drawn in these colours, a solid in light */
    const double *weights;  /* (vertex_count x the desc's handles) in place of biharmonic ones; or null */
} sn_cook_mesh_input;

/* sn_cook of such a body; the desc has no paths. Everything is copied. Errors: those of sn_cook. */
SN_API sn_result sn_cook_mesh(const sn_cook_mesh_input *mesh, const sn_cook_desc *desc, sn_blob *blob,
                              sn_cook_report *report);

typedef struct sn_cook_rig_desc {
    sn_cook_handles handles;          /* in model units */
    bool (*is_cancelled)(void *user); /* or null: asked again and again */
    void *cancel_user;
} sn_cook_rig_desc;

/* The same character, tets and surface, with other bones, for coupled bodies (sn_body_set_rig): fast enough to be done
 * while the old one moves. It has no clips, and no modes. Nothing of the model is changed; the blob does not refer to
 * it. Thread-safe. Errors (one line that names the handle): SN_ERROR_ARGUMENT (a handle outside of the body, two at one
 * place, one that no vertex feels, a cage that crosses itself), SN_ERROR_CANCELLED, SN_ERROR_MEMORY. */
SN_API sn_result sn_cook_rig(const sn_model *model, const sn_cook_rig_desc *desc, sn_blob *blob);

#define SN_SOFT_POINT_COUNT 12
#define SN_SOFT_POINT_LIMIT 64

typedef struct sn_cook_soft_desc {
    int point_count; /* 1 .. SN_SOFT_POINT_LIMIT; 0: SN_SOFT_POINT_COUNT. Fewer where the mesh is coarse */
    bool (*is_cancelled)(void *user); /* or null: asked again and again */
    void *cancel_user;
} sn_cook_soft_desc;

/* A soft body without a rig: a jelly, a plush toy. The same character, tets and surface with points that stretch,
 * called soft.0 and on, spread over its flesh in place of bones: what is drawn, which is skinned, moves as the flesh
 * does. Make it with SN_SOLVER_COUPLED and take the locks of all bones off: position-based flesh, and nothing else.
 * Errors: those of sn_cook_rig. */
SN_API sn_result sn_cook_soft(const sn_model *model, const sn_cook_soft_desc *desc, sn_blob *blob);

typedef struct sn_grid_surface {
    const char *name; /* for messages */
    int vertex_count, triangle_count;
    const double *positions;  /* (vertex_count x 3) */
    const int32_t *triangles; /* (triangle_count x 3), counter-clockwise from outside */
} sn_grid_surface;

/* A collider's grid of what a surface encloses, of `resolution` cells (2 .. 256) along the longest side of its box.
 * Distances are exact beside the triangles, so that the error of what lies between nodes is that of the interpolation
 * alone. What is thinner than a cell may be lost. Closed surfaces may overlap, and be hollow; ones turned inside out
 * are turned back. Of an open one, with a warning, winding numbers decide what is inside. Errors (one line):
 * SN_ERROR_ARGUMENT (indices, coordinates, resolution), SN_ERROR_FORMAT (no area, or it encloses nothing),
 * SN_ERROR_MEMORY. */
SN_API sn_result sn_grid_build(const sn_grid_surface *surface, int resolution, sn_grid **grid);

#ifdef __cplusplus
}
#endif
#endif
