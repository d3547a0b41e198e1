/* SPDX-License-Identifier: MIT */
/* Internal declarations of the reduced solver. */
#ifndef SN_HOST_REDUCED_SOLVER_H
#define SN_HOST_REDUCED_SOLVER_H

#include "host/reduced/contacts.h"
#include "host/reduced/grabs.h"
#include "host/reduced/kernels/cluster_pass.h"
#include "host/reduced/reduced.h"
#include "host/reduced/samples.h"
#include "host/reduced/scratch.h"
#include "host/reduced/view.h"

#define SN_ANDERSON_COUNT 5
#define SN_ANDERSON_VOLUME_COUNT 8 /* with a volumetric term, which couples the coordinates of the diagonal system */
#define SN_ANDERSON_MAX SN_ANDERSON_VOLUME_COUNT
#define SN_CORRECTION_COUNT 3      /* corrections kept, enough for a parabola */
#define SN_ENERGY_NOISE_F32 1e-6   /* float rounding, relative to the magnitudes of an energy's terms */
#define SN_MIN_STEP_FRACTION 0.01f /* of the fixed-point step; shorter at an energy kink (inverted cluster) */

/* Float matrices of the forces due to the rig's pose and motion, in groups of SN_GROUP coordinates. Bones that affect
 * no coordinate are left out. */
typedef struct sn_reduced_scratch sn_reduced_scratch;

typedef struct sn_rig_load_data {
    int bone_count, padded_count;
    const int32_t *bones;
    const float *matrix; /* M_J, K_J, divided by the unit (padded_count / SN_GROUP x bone_count x 4 x 2 x SN_GROUP) */
    int pair_count;
    const float
        *morph_matrix; /* morph_cross, divided by the unit (padded_count / SN_GROUP x pair_count x 3 x SN_GROUP) */
} sn_rig_load_data;

typedef struct sn_wind_parameters {
    float velocity[3];
    float inverse_time_step, max_speed; /* 1 / h; limit of the speed relative to the skin */
    float half_drag;                    /* force per speed^2 and area */
} sn_wind_parameters;

/* Float kernels, compiled for several instruction sets that all give identical bits. */
typedef struct sn_reduced_kernels {
    /* from f32.motion and f32.strain of the rig computes (M_J motion + K_J strain) / unit into f32.local */
    void (*load)(sn_reduced_body *body);
    /* iterates from f32.difference; the result is f32.accepted_image */
    void (*iterate)(sn_reduced_body *body, double deadline, sn_reduced_report *report);
    /* displacement of all points by coordinates (coordinate_count x 3): result (block_count x 3) */
    void (*flesh_offset)(const sn_sample_rows *points, int coordinate_count, const float *coordinates,
                         sn_f32x8 *result);
    /* result (coordinate_count x 3) = sum_i b_i^T f_i for forces (block_count x 3) at all points */
    void (*generalized_forces)(const sn_sample_rows *points, int coordinate_count, const sn_f32x8 *forces,
                               float *result);
    /* see samples_f32.inc and contacts_f32.inc */
    void (*transform_points)(const sn_sample_skin *skin, const float *points, const float *rig, sn_f32x8 *result);
    void (*transform_extremes)(const sn_sample_skin *skin, int sample, const sn_f32x8 *rest, const float *rig,
                               sn_f32x8 *result);
    void (*flesh_offset_of_row)(const float *row, int coordinate_count, const float *columns, float *result);
    void (*bound)(const sn_f32x8 *positions, int block_count, float *low, float *high);
    void (*limit)(sn_sample_scratch *scratch, int block_count, const sn_f32x8 *limits);
    void (*flag_near)(sn_sample_scratch *scratch, int block_count, const sn_bounding_shape *shape, int k);
    void (*wind_forces)(const sn_sample_skin *skin, const sn_wind_parameters *wind, sn_sample_scratch *scratch);
    void (*compute_responses)(const sn_reduced_solver *solver, sn_contact_set *set);
    void (*project)(const sn_reduced_solver *solver, sn_contact_set *set, const float *difference);
    sn_contact_energy (*measure_contact_energy)(const sn_reduced_solver *solver, sn_contact_set *set,
                                                const sn_f32x8 *points, bool use_current_friction);
} sn_reduced_kernels;

struct sn_reduced_solver {
    const sn_model *source; /* the full model, as passed by the caller */
    sn_reduced_view view;
    const sn_model *model; /* the view's model, which all other code reads */
    sn_reduced_desc desc;
    int coordinate_count, padded_count;
    int column_count;       /* 4 bone_count */
    int pair_count;         /* pairs of a morph field and a bone */
    double unit;            /* sn_reduced_unit: of float coordinates */
    double elastic_factor;  /* 1 + kappa: stiffness of the strain limits, which share the matrices */
    bool has_volume;        /* Poisson's ratio is not 0 everywhere, or the material is Neo-Hookean */
    double *retention;      /* (coordinate_count) fraction of the velocity that damping leaves in a step */
    double *inverse_system; /* (coordinate_count) 1 / N, N = A + s b lambda (see solver.c) */
    double *system_ratio; /* (coordinate_count) N / A, A = 1/h^2 + s (1 + kappa) lambda; 1 without a volumetric term */
    bool has_relative_gravity;      /* gravity acts through the bones' columns (sn_reduced_relative_gravity) */
    double *gravity;                /* (coordinate_count x 3) V^T M g, or 0 */
    float *system32;                /* (padded_count x 3) N */
    float *quadratic32;             /* (padded_count x 3) A */
    float *weight32;                /* (padded_count x 3) s / N */
    float *previous_weight32;       /* (padded_count x 3) 1 - A / N */
    float *bound32;                 /* (padded_count x 3) (unit coordinate_bounds / diagonal N / A)^2 */
    sn_cluster_data_f64 clusters64; /* used for the energy in every precision */
    sn_cluster_data_f32 clusters32;
    sn_rig_load_data rig_load;
    sn_sample_rows sample_rows;
    sn_sample_skin sample_skin;
    double sample_area; /* total area of the samples */
    sn_contact_response response;
    int own_count; /* number of the model's colliders on bones that are in use */
    const sn_reduced_kernels *kernels;
    sn_reduced_scratch_pool *work, *own_work; /* own_work is null if the caller passed the scratch */
    sn_arena arena;
};

/* Vectors of a float step, (padded_count x 3) each unless noted, in units of sn_reduced_unit (see iterate_f32.inc). */
typedef struct sn_iteration_f32 {
    int size; /* 3 padded_count */
    bool is_unaccelerated, is_anderson_step, has_accepted;
    float *predicted, *inertia; /* the prediction; b, the target of inertia relative to it */
    float *start_offset;        /* Z_n relative to the prediction */
    float *difference;          /* d, the current iterate relative to the prediction */
    float *coordinates, *local; /* scratch: prediction + d; sum_c S_B^T (R_c - 1)^T */
    float *image, *residual;    /* g(d), f */
    float *accepted_image, *accepted_residual;
    float *image_changes, *residual_changes; /* (column_limit x padded_count x 3) dg, df */
    int column_limit, column_count, next_column;
    double gram[SN_ANDERSON_MAX][SN_ANDERSON_MAX]; /* df_i . N df_j */
    float step_fraction; /* from the accepted point, of the fixed-point step; < 1 if that raises the energy */
    double change, energy, accepted_energy, energy_noise, estimated_rise;
    double displacement, rig_displacement; /* of the flesh (at the image) and the rig in the step, in diagonals */
    /* Values with contacts: |f|_N^2 at the current and at the accepted point; the energy without contacts, and with
     * current friction limits; the decrease in the step so far; whether the image's energy is no higher. */
    double residual_squared, accepted_residual_squared, energy_without_contacts, energy_with_contacts, energy_decrease;
    bool is_image_lower, is_accepted_image_lower;
    float *rig, *motion, *strain; /* (column_count x 3) */
    float *morph_motion;          /* (3 pair_count x 3) */
    float *rig_gradient; /* (group_count x 9 x SN_GROUP), then (group_count x 2 x SN_GROUP) with strain limits */
    float *lanes;        /* (padded_count x 3 x SN_LANES) */
} sn_iteration_f32;

/* History of corrections: the displacement of a step's result from the target of inertia, caused by elasticity and
 * contacts. It is extrapolated to start the next step. */
typedef struct sn_correction_history {
    float *all;
    size_t capacity;                   /* allocated floats */
    float *steps[SN_CORRECTION_COUNT]; /* (padded_count x 3) newest first, divided by the unit */
    int count;                         /* number of valid corrections */
    bool is_extrapolable;              /* extrapolation predicted the newest correction well */
} sn_correction_history;

struct sn_reduced_body {
    const sn_reduced_solver *solver;
    double *state; /* (state_count) storage of the arrays below */
    size_t state_count;
    double *coordinates, *coordinates_before; /* (coordinate_count x 3) Z_n, Z_(n-1) */
    double *rig, *rig_before;                 /* (column_count x 3) P_n, P_(n-1): row 4 b + k is column k of bone b */
    double *morphs, *morphs_before;           /* (3 pair_count x 3) the pairs' rows of P_n and P_(n-1) (see model.h) */
    double *fields;                           /* (morph_field_count) field weights for the next step */
    float *weights, *weights_before;          /* (morph_count) weights of morph targets: next step, last step */
    size_t weight_count;                      /* length of both weight arrays together */
    bool has_invalid_morphs;                  /* weights set since the last step were not finite */
    double *velocity_change;                  /* (coordinate_count x 3) from impulses since the last step */
    sn_correction_history corrections;
    sn_stored_forces stored_forces;
    sn_collider *own; /* (own_capacity) colliders on bones, posed for the step */
    size_t own_capacity;
    sn_grab grabs[SN_GRAB_LIMIT];
    double *rig_next;    /* (column_count x 3) */
    double *morphs_next; /* (3 pair_count x 3) */
    /* scratch of the current step (see scratch.h) */
    sn_reduced_scratch *scratch;
    double *motion;       /* (column_count x 3) */
    double *morph_motion; /* (3 pair_count x 3) */
    double *inertia;      /* (coordinate_count x 3) c0 */
    double *predicted64;  /* (coordinate_count x 3) Z_n + k (Z_n - Z_(n-1)) + h impulses */
    sn_sample_scratch samples;
    sn_contact_set contacts;
    double *rig_gradient64, *lanes64;   /* as in sn_iteration_f32 */
    double *z64, *local64, *accepted64; /* (padded_count x 3) */
    sn_iteration_f32 f32;
};

/* result (rows x 3) += scale * matrix (rows x columns) * values (columns x 3) */
void sn_reduced_add_product(const double *matrix, int rows, int columns, double scale, const double *values,
                            double *result);
/* Converts a pose (bone_count x 3 x 4, row-major) to a rig (4 bone_count x 3). */
void sn_reduced_rig_from_pose(const double *pose, int bone_count, double *rig);
/* Bound on the squared movement of any vertex due to a change of coordinate i. */
double sn_reduced_squared_bound(const sn_model *model, int i, double dx, double dy, double dz);
/* Bound on the displacement of any vertex due to coordinates (coordinate_count x 3). */
double sn_reduced_displacement_bound(const sn_model *model, const double *coordinates);
/* Subtracts the root bone's translation. Rig gradients do not depend on it, and float keeps its precision far from the
 * origin. */
void sn_reduced_centre_rig(const sn_model *model, const double *rig, double *centred);
/* Writes the mode transforms (the model's mode_count x 3 x 4) of coordinates (coordinate_count x 3), times `amount`. */
void sn_reduced_transforms(const sn_reduced_view *view, const double *coordinates, double amount, double *transforms);
/* Sets the next pose. Returns false if the pose is not finite; the last valid pose then stays. */
bool sn_reduced_set_next_pose(sn_reduced_body *body, const double *pose);
void sn_reduced_gather_inertia(sn_reduced_body *body);
/* Clears the warm start: the next steps start at their predictions, with zero contact forces. */
void sn_reduced_clear_warm_start(sn_reduced_body *body);
/* Copies the weights of the next step's morph targets to those of the last step. */
void sn_reduced_store_weights(sn_reduced_body *body);
void sn_reduced_add_wind(sn_reduced_body *body, const double *wind);
/* Leaves Z_(n+1) in z64. `deadline` is a time of sn_now, or 0 for none. */
sn_reduced_report sn_reduced_iterate(sn_reduced_body *body, double deadline);

sn_result sn_reduced_pack_clusters(sn_reduced_solver *solver);
sn_result sn_reduced_pack_rig_load(sn_reduced_solver *solver);
sn_result sn_reduced_pack_morph_load(sn_reduced_solver *solver);

/* Used by the kernels. */
void sn_contacts_set_tolerance(sn_contact_set *set, double tolerance, double change);
bool sn_reduced_should_stop(const sn_reduced_desc *desc, double tolerance, double deadline, sn_reduced_report *report);
/* Solves gram gamma = right (count); if gram is singular, gamma is one of the solutions. */
void sn_anderson_solve(int count, double gram[SN_ANDERSON_MAX][SN_ANDERSON_MAX], const double *right, double *gamma);
extern const sn_reduced_kernels sn_reduced_kernels_f32, sn_reduced_kernels_f32_avx2, sn_reduced_kernels_f32_avx512;

#endif
