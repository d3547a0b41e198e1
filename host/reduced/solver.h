/* SPDX-License-Identifier: MIT */
/* Inside of the reduced solver: shared by its files alone. */
#ifndef SN_HOST_REDUCED_SOLVER_H
#define SN_HOST_REDUCED_SOLVER_H

#include "host/reduced/contacts.h"
#include "host/reduced/grabs.h"
#include "host/reduced/kernels/cluster_pass.h"
#include "host/reduced/reduced.h"
#include "host/reduced/samples.h"
#include "host/reduced/scratch.h"
#include "host/reduced/truncate.h"

#define SN_ANDERSON_COUNT 5
#define SN_ANDERSON_VOLUME_COUNT 8 /* with a volumetric term, which couples what the diagonal step takes apart */
#define SN_ANDERSON_MOST SN_ANDERSON_VOLUME_COUNT
#define SN_PULL_COUNT 3          /* a parabola's */
#define SN_ENERGY_NOISE_F32 1e-6 /* of the sums of an energy's terms: float's rounding */
#define SN_LEAST_SHARE 0.01f     /* of a plain step: less is at a kink of the energy, where a cluster is inside out */

/* What the rig's pose and motion push and pull, in float: SN_GROUP coordinates a group. Bones that move no coordinate
 * are left out. */
typedef struct sn_reduced_scratch sn_reduced_scratch;

typedef struct sn_rig_load_data {
    int bone_count, padded_count;
    const int32_t *bones;
    const float *matrix; /* M_J, K_J, over the unit (padded_count / SN_GROUP x bone_count x 4 x 2 x SN_GROUP) */
    int pair_count;
    const float *morph_matrix; /* morph_cross, likewise (padded_count / SN_GROUP x pair_count x 3 x SN_GROUP) */
} sn_rig_load_data;

typedef struct sn_wind {
    float velocity[3];
    float per_second, fastest; /* 1 / h; the largest speed against the skin that counts */
    float half_drag;           /* of a force, over speed^2 and area */
} sn_wind;

/* The kernels in float, compiled for several instruction sets; all give the same bits. */
typedef struct sn_reduced_kernels {
    /* motion and strain of the rig in f32 -> (M_J motion + K_J strain) / unit, in f32.local */
    void (*load)(sn_reduced_body *body);
    /* from f32.difference on; the result is f32.image_kept */
    void (*iterate)(sn_reduced_body *body, double deadline, sn_reduced_report *report);
    /* what coordinates (coordinate_count x 3) add at all points: result (block_count x 3) */
    void (*flesh)(const sn_sample_rows *points, int coordinate_count, const float *coordinates, sn_f32x8 *result);
    /* result (coordinate_count x 3) = sum_i b_i^T f_i for forces (block_count x 3) at all points */
    void (*pull)(const sn_sample_rows *points, int coordinate_count, const sn_f32x8 *forces, float *result);
    /* see samples_f32.inc, contacts_f32.inc */
    void (*place)(const sn_sample_skin *skin, const float *points, const float *rig, sn_f32x8 *result);
    void (*place_extremes)(const sn_sample_skin *skin, int sample, const sn_f32x8 *rest, const float *rig,
                           sn_f32x8 *result);
    void (*flesh_of_row)(const float *row, int coordinate_count, const float *columns, float *result);
    void (*bound)(const sn_f32x8 *places, int block_count, float *low, float *high);
    void (*limit)(sn_sample_scratch *scratch, int block_count, const sn_f32x8 *limits);
    void (*mark)(sn_sample_scratch *scratch, int block_count, const sn_near_shape *shape, int k);
    void (*press)(const sn_sample_skin *skin, const sn_wind *wind, sn_sample_scratch *scratch);
    void (*respond)(const sn_reduced_solver *solver, sn_contact_set *set);
    void (*project)(const sn_reduced_solver *solver, sn_contact_set *set, const float *difference);
    sn_touch_energy (*measure_touch)(const sn_reduced_solver *solver, sn_contact_set *set, const sn_f32x8 *points,
                                     bool is_now);
} sn_reduced_kernels;

struct sn_reduced_solver {
    const sn_model *source; /* as it was given */
    sn_reduced_view view;
    const sn_model *model; /* the view's: what everything else reads */
    sn_reduced_desc desc;
    int coordinate_count, padded_count;
    int column_count;               /* 4 bone_count */
    int pair_count;                 /* of morph fields and bones */
    double unit;                    /* sn_reduced_unit: of coordinates in float */
    double velocity_kept;           /* exp(-damping h) */
    bool has_volume;                /* Poisson's ratio is not 0 everywhere, or flesh is Neo-Hookean */
    double *inverse_system;         /* (coordinate_count) 1 / N, N = 1/h^2 + s (1 + b) lambda: see solver.c */
    double *caution;                /* (coordinate_count) N / A, A = 1/h^2 + s lambda; 1 without volume */
    double *gravity;                /* (coordinate_count x 3) V^T M g */
    float *system32;                /* (padded_count x 3) N */
    float *quadratic32;             /* (padded_count x 3) A */
    float *weight32;                /* (padded_count x 3) s / N */
    float *stay32;                  /* (padded_count x 3) 1 - A / N */
    float *reach32;                 /* (padded_count x 3) (unit coordinate_reach / diagonal N / A)^2 */
    sn_cluster_data_f64 clusters64; /* the energy needs it in every precision */
    sn_cluster_data_f32 clusters32;
    sn_rig_load_data rig_load;
    sn_sample_rows sample_rows;
    sn_sample_skin sample_skin;
    double sample_area; /* of all samples */
    sn_contact_response response;
    int own_count; /* colliders on the model's bones that count */
    const sn_reduced_kernels *kernels;
    sn_reduced_work *work, *own_work; /* the same, or null: the work is others', too */
    sn_arena arena;
};

/* A float step's vectors, (padded_count x 3) each unless said, in units of sn_reduced_unit: see iterate_f32.inc. */
typedef struct sn_iteration_f32 {
    int size; /* 3 padded_count */
    bool is_plain, is_guess, has_kept;
    float *predicted, *inertia; /* the prediction; where the inertia alone would go from there: b */
    float *begun;               /* Z_n, from the prediction */
    float *difference;          /* d: the point, likewise */
    float *coordinates, *local; /* scratch: prediction + d; sum_c S_B^T (R_c - 1)^T */
    float *image, *residual;    /* g(d), f */
    float *image_kept, *residual_kept;
    float *image_changes, *residual_changes; /* (column_limit x padded_count x 3) dg, df */
    int column_limit, column_count, next_column;
    double gram[SN_ANDERSON_MOST][SN_ANDERSON_MOST]; /* df_i . N df_j */
    float share; /* of the plain step from the point that is kept: less than 1 where that raises the energy */
    double change, energy, energy_kept, energy_noise, rise;
    double moved, rig_moved; /* how far flesh goes in the step, by the image, and the rig, in diagonals */
    /* with contacts: |f|_N^2, here and at the point that is kept; the energy without them, and with what friction
     * holds by now; how far it has fallen; whether the image's is no higher */
    double residual2, residual2_kept, energy_alone, energy_held, fallen;
    bool is_image_lower, is_image_lower_kept;
    float *rig, *motion, *strain; /* (column_count x 3) */
    float *morph_motion;          /* (3 pair_count x 3) */
    float *rig_gradient;          /* (group_count x 9 x SN_GROUP) */
    float *lanes;                 /* (padded_count x 3 x SN_LANES) */
} sn_iteration_f32;

/* How far flesh and contacts pulled a step from where inertia alone would have taken it, for the start of the next. */
typedef struct sn_pulls {
    float *all;
    size_t room;                 /* floats in all */
    float *steps[SN_PULL_COUNT]; /* (padded_count x 3) the newest first, over the unit */
    int count;                   /* of those that are known */
    bool is_steady;              /* the parabola through the last ones met the newest */
} sn_pulls;

struct sn_reduced_body {
    const sn_reduced_solver *solver;
    double *state; /* (state_count) what these point into: */
    size_t state_count;
    double *coordinates, *coordinates_before; /* (coordinate_count x 3) Z_n, Z_(n-1) */
    double *rig, *rig_before;                 /* (column_count x 3) P_n, P_(n-1): row 4 b + k is column k of bone b */
    double *morphs, *morphs_before;           /* (3 pair_count x 3) the pairs' rows of P_n and P_(n-1): see model.h */
    double *fields;                           /* (morph_field_count) what the next step moves them to */
    float *weights, *weights_before;          /* (morph_count) of morph targets: in the next step, in the last one */
    size_t weight_count;                      /* of both */
    bool has_refused_morphs;                  /* weights since the last step were not finite */
    double *velocity_change;                  /* (coordinate_count x 3) of impulses since the last step */
    sn_pulls pulls;
    sn_held_forces held_forces;
    sn_collider *own; /* (own_room) where bones have theirs in the step */
    size_t own_room;
    sn_grab grabs[SN_GRAB_LIMIT];
    double *rig_next;    /* (column_count x 3) */
    double *morphs_next; /* (3 pair_count x 3) */
    /* scratch of a step, as long as it is lent: see scratch.h */
    sn_reduced_scratch *scratch;
    double *motion;       /* (column_count x 3) */
    double *morph_motion; /* (3 pair_count x 3) */
    double *inertia;      /* (coordinate_count x 3) c0 */
    double *predicted64;  /* (coordinate_count x 3) Z_n + k (Z_n - Z_(n-1)) + h impulses */
    sn_sample_scratch samples;
    sn_contact_set contacts;
    double *rig_gradient64, *lanes64; /* as in sn_iteration_f32 */
    double *z64, *local64, *kept64;   /* (padded_count x 3) */
    sn_iteration_f32 f32;
};

/* result (rows x 3) += scale * matrix (rows x columns) values (columns x 3) */
void sn_reduced_add_product(const double *matrix, int rows, int columns, double scale, const double *values,
                            double *result);
/* (bone_count x 3 x 4) row-major to (4 bone_count x 3) */
void sn_reduced_rig_from_pose(const double *pose, int bone_count, double *rig);
/* The square of how far any vertex can move by a change of coordinate i. */
double sn_reduced_change(const sn_model *model, int i, double dx, double dy, double dz);
/* How far coordinates (coordinate_count x 3) can move any vertex. */
double sn_reduced_reach(const sn_model *model, const double *coordinates);
/* Rig gradients do not see translation: the root's is taken off, so that float keeps its digits far from the origin. */
void sn_reduced_centre_rig(const sn_model *model, const double *rig, double *centred);
/* The mode transforms (the model's mode_count x 3 x 4) of coordinates (coordinate_count x 3), times amount. */
void sn_reduced_transforms(const sn_reduced_view *view, const double *coordinates, double amount, double *transforms);
/* The parts of a step. False where the pose is not finite: then the last sound one stays. */
bool sn_reduced_take_pose(sn_reduced_body *body, const double *pose);
void sn_reduced_gather_inertia(sn_reduced_body *body);
/* The next steps start from their predictions, and from no forces of contacts. */
void sn_reduced_forget_pulls(sn_reduced_body *body);
/* The weights of the next step's morph targets are those of the last one. */
void sn_reduced_keep_weights(sn_reduced_body *body);
void sn_reduced_add_wind(sn_reduced_body *body, const double *wind);
/* Leaves Z_(n+1) in z64. The deadline is a time of sn_now, or 0. */
sn_reduced_report sn_reduced_iterate(sn_reduced_body *body, double deadline);

sn_result sn_reduced_pack_clusters(sn_reduced_solver *solver);
sn_result sn_reduced_pack_rig_load(sn_reduced_solver *solver);
sn_result sn_reduced_pack_morph_load(sn_reduced_solver *solver);

/* For the kernels. */
void sn_contacts_settle_to(sn_contact_set *set, double tolerance, double change);
bool sn_reduced_is_done(const sn_reduced_desc *desc, double tolerance, double deadline, sn_reduced_report *report);
/* gamma (count): gram gamma = right, where gram is singular one of the solutions. */
void sn_anderson_solve(int count, double gram[SN_ANDERSON_MOST][SN_ANDERSON_MOST], const double *right, double *gamma);
extern const sn_reduced_kernels sn_reduced_kernels_f32, sn_reduced_kernels_f32_avx2, sn_reduced_kernels_f32_avx512;

#endif
