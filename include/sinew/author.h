/* SPDX-License-Identifier: MIT */
/* Cooking: converts a character's files to a model. Tools link this library; games need not. The licence of a program
 * that links it depends on the CHOLMOD that it is linked with: see licences/LICENCES.md. */
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

/* The stage's name: "read", "mesh", "weights", "modes", "clusters", "precompute" or "write". */
SN_API const char *sn_cook_stage_name(sn_cook_stage stage);

typedef enum sn_cook_units {
    SN_UNITS_UNIT, /* centroid at the origin, diagonal of the bounding box 1 */
    SN_UNITS_KEEP  /* coordinates unchanged */
} sn_cook_units;

/* The momentum leak D, a diagonal matrix, in J^T M D u = 0: how much of the rig's momentum the flesh may carry, so that
 * it follows through (Zhang et al. 2020, "Complementary Dynamics"; the diffusion of Benchekroun et al. 2023). */
typedef enum sn_cook_leak {
    SN_LEAK_AUTO, /* the sidecar's, or by diffusion from the surface */
    SN_LEAK_NONE, /* D = 1: the flesh carries no momentum of the rig, except where the sidecar's materials and bones set
                     a leak */
    SN_LEAK_ALL,  /* D = 0: modes need not be complementary to the rig; a body without pins then falls and drifts freely
                   */
    SN_LEAK_VALUES /* leak_values */
} sn_cook_leak;

/* The constraint that makes the flesh complementary to the rig, J^T M D u = 0: see docs/reference/cook-options.md. */
typedef enum sn_cook_complementary {
    SN_COMPLEMENTARY_AUTO,       /* the sidecar's, or chosen by the rig */
    SN_COMPLEMENTARY_WEIGHTS,    /* every mode by itself, for any affine motion of every bone */
    SN_COMPLEMENTARY_COORDINATES /* only the combined motion of all modes, exactly, at all levels of detail; for rigs of
                                    few bones */
} sn_cook_complementary;

/* How the flesh is tied to the rig. */
typedef enum sn_cook_method {
    SN_COOK_METHOD_AUTO,         /* the sidecar's; or anchored for characters with a skeleton, else complementary */
    SN_COOK_METHOD_ANCHORED,     /* flesh near the bones moves with them, and the rest swings around it */
    SN_COOK_METHOD_COMPLEMENTARY /* the flesh is complementary to the rig (Benchekroun et al. 2023) */
} sn_cook_method;

/* Max number of cluster levels besides the finest. */
#define SN_COARSE_LEVEL_LIMIT 2

typedef enum sn_cook_morphs {
    SN_MORPHS_AUTO,    /* the sidecar's, or dynamic */
    SN_MORPHS_DYNAMIC, /* changes of morph targets excite the flesh */
    SN_MORPHS_VISUAL   /* morph targets move the drawn surface only */
} sn_cook_morphs;

typedef enum sn_cook_soft_bones {
    SN_SOFT_BONES_AUTO, /* bones named by the sidecar or the file */
    SN_SOFT_BONES_NONE,
    SN_SOFT_BONES_SPRINGS /* these, and the spring bones that no clip moves */
} sn_cook_soft_bones;

/* ---- handles: user-defined bones ---- */

typedef enum sn_handle_shape {
    SN_HANDLE_SHAPE_POINT, /* position: start */
    SN_HANDLE_SHAPE_BONE,  /* head: start, tail: end */
    SN_HANDLE_SHAPE_CAGE   /* vertex of a cage, at start; translates only */
} sn_handle_shape;

typedef struct sn_cook_handle {
    sn_handle_shape shape;
    const char *name; /* null: "bone 3" */
    int parent;       /* parent of a point or a bone: the index of a point or a bone, or -1; no cycles */
    double start[3], end[3];
    double radius;       /* radius of a bone, which controls all flesh within; 0: only a chain of vertices along it */
    bool is_stretchable; /* coupled bodies may stretch it */
} sn_cook_handle;

/* Handles become the bones, in this order. Their weights are bounded biharmonic (Jacobson et al. 2011). */
typedef struct sn_cook_handles {
    const char *name; /* for messages; null: "handles" */
    int count;
    const sn_cook_handle *handles;
    int edge_count;
    const int32_t *edges; /* (edge_count x 2) handle indices of cage vertices: cages that are loops */
    int triangle_count;
    const int32_t *triangles; /* (triangle_count x 3) closed cages around a solid body, consistently oriented */
    int face_count;           /* polygonal faces of these cages, of three or more corners */
    const int32_t *face_starts, *face_corners; /* (face_count + 1), (face_starts[face_count]) */
} sn_cook_handles;

/* ---- colliders on bones ---- */

/* A solid on a bone, in the bone's own frame at bind and in the input's units. It moves with the bone and keeps out the
 * body's own simulated flesh: see docs/reference/cook-options.md. */
typedef struct sn_cook_collider {
    const char *bone;
    sn_collider_shape shape; /* plane, sphere or capsule */
    double offset[3];        /* centre of a sphere, first end of a capsule's axis, or a point of a plane */
    double tail[3];          /* second end of a capsule's axis */
    double normal[3];        /* normal of a plane, of any length but 0; the other side is solid */
    double radius, friction; /* >= 0 */
    const char *const
        *flesh;      /* (flesh_count) simulated bones: the collider affects flesh that they and their children move */
    int flesh_count; /* 0: it affects the flesh of all simulated bones */
} sn_cook_collider;

/* ---- fibres of layered bodies ---- */

#define SN_CURVE_LIMIT 256
#define SN_CURVE_POINT_LIMIT 1024

/* A rational B-spline (NURBS) in the input's units, along which fibres run. */
typedef struct sn_cook_curve {
    int degree;              /* 1 to 7, less than point_count; 0: 3, or the maximum for its points */
    int point_count;         /* 2 to SN_CURVE_POINT_LIMIT */
    const double *points;    /* (point_count x 3) control points, coordinates at most 1e30 */
    const double *weights;   /* (point_count) > 0 and finite; null: all 1 */
    const double *knots;     /* (point_count + degree + 1) ascending; null: uniform, clamped at the end points */
    double normal[3];        /* direction of axis 2 at the start, projected to the plane across the curve; 0: up */
    double influence_radius; /* radius of influence, >= 0: nearer vertices get the curve's axes; 0: one tet */
} sn_cook_curve;

/* Stiffness of flesh along its fibres (axis 1), relative to across: see docs/reference/cook-options.md. Factors are
 * 1e-6 to 1e6, or 0 for 1. */
typedef struct sn_cook_fibres {
    const char *name;  /* for messages; null: "fibres" */
    double stretch[3]; /* along axes 1, 2, 3 */
    double shear[3];   /* between 12, 13, 23 */
    int curve_count;   /* at most SN_CURVE_LIMIT; 0: fibres run along the bones */
    const sn_cook_curve *curves;
} sn_cook_fibres;

/* Values for the elements of the input, in its order. */
typedef struct sn_cook_values {
    const double *values; /* (count) */
    size_t count;         /* 0: none */
    const char *name;     /* for messages; or null */
} sn_cook_values;

/* Called before each stage, and repeatedly within long ones. Return false to stop the cook with SN_ERROR_CANCELLED. */
typedef bool sn_cook_progress_function(sn_cook_stage stage, void *user);

typedef struct sn_cook_desc {
    const char *tets_path; /* tet mesh for a surface; null: generated */
    const char *rig_path;  /* rig JSON, .tgf or char_cfg.yaml; null: automatic (docs/reference/cook-options.md) */
    const sn_cook_handles *handles; /* in the input's units (drawings: y up), instead of all other rigs; or null */
    const char *weights_path;       /* handle weights (.npy or .dmat) instead of the rig's; or null */
    const char *mask_path;          /* mask of a picture's body; null: its opaque pixels */
    int tet_vertex_count;           /* approximate vertex count of generated tets; 0: 10000 */
    int drawing_vertex_count;       /* approximate vertex count of a picture's lattice; 0: 1500 */
    const char *const *clip_paths;  /* (clip_count) clip JSON, or motion files to retarget */
    int clip_count;
    int worker_count; /* threads of the stages that use several, 0: one per processor; the model does not depend on it
                       */
    bool has_generated_clips; /* generate clips for a humanoid character without any, unless its sidecar forbids */
    int mode_count;           /* number of modes; 0: the sidecar's, or automatic (docs/reference/cook-options.md) */
    double sparsity;   /* 0: smooth modes; 1 .. 100: localised modes (compressed modes, Brandt and Hildebrandt 2017) */
    int cluster_count; /* before the split into connected pieces; 0: the sidecar's, or 100 */
    int coarse_cluster_counts[SN_COARSE_LEVEL_LIMIT]; /* of coarser levels, descending; 0: end; all 0: 30% and 10% */
    int target_mode_count;      /* max modes for morph targets, 0 .. 96; negative: the sidecar's, or automatic */
    double target_inertia_gain; /* max overshoot after a morph target, fraction, 0 .. 10; negative: the sidecar's, or
                                   0.2 */
    double young;               /* Young's modulus, Pa in model units; 0: automatic (docs/reference/cook-options.md) */
    double poisson;             /* Poisson's ratio, at most 0.45; negative: the sidecar's, or 0 */
    double density;             /* kg/m^3, > 0 */
    sn_cook_units units;
    double size; /* diagonal of the model in metres, 1e-7 to 1e7, instead of units; 0: use units */
    sn_cook_morphs morphs;
    sn_cook_soft_bones soft_bones;     /* bones whose flesh is simulated instead of driven */
    bool is_without_springs;           /* leave out spring bones whose flesh is not simulated */
    const sn_cook_collider *colliders; /* (collider_count) in addition to those of the file and of the sidecar */
    int collider_count;
    bool is_coupled; /* for coupled bodies only: no modes, no clusters, no trial runs; their options are ignored */
    bool is_layered; /* for layered bodies only: strain stiffness instead of modes; not for flat bodies */
    const sn_cook_fibres *fibres; /* of layered bodies, instead of the sidecar's; or null */
    bool has_boundary_surface;    /* render a tet mesh file's boundary, also if NAME_tex.obj is beside it */
    bool is_flat;                 /* the surface lies in a plane z = const and becomes a 2D body of triangles */
    sn_cook_method method;
    sn_cook_complementary complementary;
    sn_cook_leak leak;
    const double *leak_values; /* (leak_count), one per input vertex, in [0, 1] */
    size_t leak_count;
    const char *leak_name; /* for messages; or null */
    const double
        *rows; /* (row_count x row_length) C, with C w = 0 for the weights w of every mode; at most 4096 rows */
    size_t row_count, row_length;
    const char *rows_name; /* for messages; or null */
    const int32_t *pins;   /* (pin_count) distinct input vertices that no mode moves, in addition to the sidecar's */
    size_t pin_count;
    const uint8_t *pin_mask; /* (pin_mask_count) the same as a mask, one per input vertex: 0 free, 1 pinned; or null */
    size_t pin_mask_count;
    const char *pin_name; /* for messages; or null */
    /* One value per tet (per triangle of a flat body), in the order of the file or mesher. Stiffness and density are
     * factors of 1e-6 to 1e6, multiplied with painted and sidecar values; Poisson's ratio, 0 to 0.45, replaces these.
     */
    sn_cook_values tet_stiffness, tet_density, tet_poisson;
    const int32_t *labels; /* (label_count) a cluster per tet, never split; null: k-means */
    size_t label_count;
    const char *labels_name;             /* for messages, or null */
    sn_cook_progress_function *progress; /* or null */
    void *progress_user;
} sn_cook_desc;

/* Automatic modes, clusters, Young's modulus, Poisson's ratio and leak; density 1000 kg/m^3; unit size; dynamic morph
 * targets unless the sidecar says otherwise. */
SN_API sn_cook_desc sn_default_cook_desc(void);

typedef struct sn_cook_report {
    int vertex_count, tet_count /* triangles for a flat body */, bone_count, mode_count, cluster_count, clip_count;
    int generated_clip_count;                         /* all clips, or 0 */
    int coarse_cluster_counts[SN_COARSE_LEVEL_LIMIT]; /* 0: no such level */
    int coordinate_count; /* unconstrained coordinates of the flesh per axis: at most 4 per mode (flat: 3) */
    int constrained_coordinate_count; /* of SN_COMPLEMENTARY_COORDINATES: coordinates removed by the constraint */
    int pin_count;                    /* vertices of the tet mesh that no mode moves */
    int soft_bone_count;              /* bones whose flesh is simulated instead of driven */
    int bone_collider_count;          /* colliders on bones that affect such flesh */
    int spring_count;                 /* spring bone joints */
    int morph_field_count,
        morph_pair_count;      /* displacement fields of dynamic morph targets, and pairs of field and bone */
    int target_mode_count;     /* modes added for morph targets */
    int attached_vertex_count; /* of layered bodies: vertices attached to bones */
    int layer_count;           /* of layered bodies: layers of tets around the attached vertices */
    int curve_count;           /* of layered bodies: fibre curves; 0: along bones, or no fibres */
    bool has_fibres;
    int component_count; /* face-connected components of the tet mesh */
    int bridge_count;    /* virtual prisms that the mesher added to join components */
    int outside_count, glued_count, torn_count, stretch_count; /* mesh quality: see docs/reference/cook-options.md */
    double seconds[SN_COOK_STAGE_COUNT];
    double min_dihedral; /* degrees, over all tets */
    double young;        /* Young's modulus of the model, Pa */
} sn_cook_report;

typedef struct sn_blob {
    uint8_t *bytes; /* 64-byte aligned */
    size_t size;
} sn_blob;

/* Cooks the character at `path` to the content of a .sinew file. Inputs:
 * - a tet mesh (.msh, .mesh);
 * - a surface (.glb, .gltf, .vrm, .fbx, .obj, .off, .ply, .stl) with its skin and clips, for which tets are generated
 *   (.fbx starts a separate program: docs/reference/file-formats.md);
 * - a drawing (.png, .jpg, char_cfg.yaml, NAME_ske.json), which becomes a flat body of a triangle lattice.
 *
 * Release the blob with sn_blob_release. The same input gives the same bytes. `report` may be null. Thread-safe. Errors
 * leave an empty blob, and log one line with the file, the location and the cause: SN_ERROR_ARGUMENT (a value of the
 * desc is out of range, or does not fit the mesh), SN_ERROR_FILE, SN_ERROR_FORMAT, SN_ERROR_UNSUPPORTED,
 * SN_ERROR_NUMERIC (the modes could not be computed), SN_ERROR_CANCELLED, SN_ERROR_MEMORY. */
SN_API sn_result sn_cook(const char *path, const sn_cook_desc *desc, sn_blob *blob, sn_cook_report *report);
/* Frees the bytes. Accepts an empty blob. Models loaded from the bytes must have been released. */
SN_API void sn_blob_release(sn_blob *blob);

/* A change of one part of anchored flesh. Values of 0 change nothing. */
typedef struct sn_part_change {
    const char *name;     /* of sn_model_get_flesh_part */
    double amplitude;     /* displacement of the skin in a walk, fraction of the height, 1e-4 to 0.5 */
    double frequency;     /* Hz, 0.05 to 100; determines the amplitude, so give only one of the two */
    double settling_time; /* s, to 2% of a swing, 0.01 to 60 */
} sn_part_change;

/* Changes parts of a cooked model, which is not modified, and writes the new content of a .sinew file; only the reduced
 * matrices are computed anew. Trial runs correct an amplitude as in a cook: they stop at the part's range of
 * frequencies, and where flesh would move or stretch too far, so the amplitude that is reached, which the new model
 * has, may be smaller. `name` of the model is for messages. Errors, with one line: SN_ERROR_ARGUMENT (the model has no
 * parts; a part is unknown or rigid; a value is out of range), SN_ERROR_NUMERIC, SN_ERROR_MEMORY. */
SN_API sn_result sn_tune(const sn_model *model, const char *name, const sn_part_change *changes, int change_count,
                         sn_blob *blob);

/* A body given as arrays instead of a file: tets, or a surface, or, with is_flat, triangles in a plane. */
typedef struct sn_cook_mesh_input {
    const char *name; /* for messages; null: "mesh" */
    int vertex_count;
    const double *positions; /* (vertex_count x 3) */
    int triangle_count;
    const int32_t *triangles; /* (triangle_count x 3), counter-clockwise from outside */
    int tet_count;
    const int32_t *tets; /* (tet_count x 4) indices of the same vertices, instead of triangles; or null */
    const double *uvs;   /* (vertex_count x 2), v down, of triangles; or null */
    int texture_width, texture_height;
    const uint8_t *texture; /* (texture_height x texture_width x 4) sRGB with alpha, rows from the top, or null; flat
                               bodies are drawn unlit */
    const double *weights;  /* (vertex_count x the desc's handles) instead of biharmonic weights; or null */
} sn_cook_mesh_input;

/* sn_cook for a body of arrays; the desc must contain no paths. All input is copied. Errors: those of sn_cook. */
SN_API sn_result sn_cook_mesh(const sn_cook_mesh_input *mesh, const sn_cook_desc *desc, sn_blob *blob,
                              sn_cook_report *report);

typedef struct sn_cook_rig_desc {
    sn_cook_handles handles;          /* in model units */
    bool (*is_cancelled)(void *user); /* null, or polled repeatedly */
    void *cancel_user;
} sn_cook_rig_desc;

/* Cooks the same character, tets and surface with other bones, for coupled bodies (sn_body_set_model); fast enough to
 * run while the old body moves. The result has no clips and no modes. The model is not changed, and the blob does not
 * refer to it. Thread-safe. Errors (one line with the handle's name): SN_ERROR_ARGUMENT (a handle outside of the body,
 * two handles at the same position, a handle that moves no vertex, a self-intersecting cage), SN_ERROR_CANCELLED,
 * SN_ERROR_MEMORY. */
SN_API sn_result sn_cook_rig(const sn_model *model, const sn_cook_rig_desc *desc, sn_blob *blob);

#define SN_SOFT_POINT_COUNT 12
#define SN_SOFT_POINT_LIMIT 64

typedef struct sn_cook_soft_body_desc {
    int point_count; /* 1 .. SN_SOFT_POINT_LIMIT; 0: SN_SOFT_POINT_COUNT; fewer where the mesh is coarse */
    bool (*is_cancelled)(void *user); /* null, or polled repeatedly */
    void *cancel_user;
} sn_cook_soft_body_desc;

/* Cooks a soft body without a rig, such as a jelly or a plush toy: the same character, tets and surface, with
 * stretchable points (named soft.0, soft.1, ...) distributed over the flesh instead of bones, so that the skinned
 * surface moves with the flesh. Create it with SN_SOLVER_COUPLED and unlock all bones. Errors: those of sn_cook_rig. */
SN_API sn_result sn_cook_soft_body(const sn_model *model, const sn_cook_soft_body_desc *desc, sn_blob *blob);

typedef struct sn_grid_surface {
    const char *name; /* for messages */
    int vertex_count, triangle_count;
    const double *positions;  /* (vertex_count x 3) */
    const int32_t *triangles; /* (triangle_count x 3), counter-clockwise from outside */
} sn_grid_surface;

/* Builds a collider's grid from the solid that a surface encloses, with `resolution` cells (2 .. 256) along the longest
 * side of its box. Distances are exact near the triangles, so that only the interpolation between nodes is approximate.
 * Parts thinner than a cell may be lost. Closed surfaces may overlap and be hollow; inverted ones are flipped. For open
 * surfaces, winding numbers decide what is inside, and a warning is logged. Errors (one line): SN_ERROR_ARGUMENT
 * (indices, coordinates, resolution), SN_ERROR_FORMAT (the surface has no area, or encloses nothing), SN_ERROR_MEMORY.
 */
SN_API sn_result sn_grid_build(const sn_grid_surface *surface, int resolution, sn_grid **grid);

#ifdef __cplusplus
}
#endif
#endif
