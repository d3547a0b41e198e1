/* SPDX-License-Identifier: MIT */
/* The One-Euro filter (Casiez, Roussel, Vogel: 1 Euro Filter, CHI 2012): a low-pass filter whose cutoff rises with
 * speed, which removes jitter at rest and delay in fast motion. It works in seconds, for any, even irregular, sampling
 * rate. Departure from the paper: rotations are filtered on the sphere, along the arc to the new rotation, at its
 * angular speed. */
#ifndef SN_HOST_MATH_ONE_EURO_H
#define SN_HOST_MATH_ONE_EURO_H

#include <stdbool.h>

typedef struct sn_one_euro {
    double cutoff;       /* cutoff at rest, Hz */
    double beta;         /* increase of the cutoff, Hz per unit/s; 0: a simple low pass */
    double speed_cutoff; /* cutoff of the speed itself, Hz */
} sn_one_euro;

/* State for up to four related numbers. Zero it to start; the next sample is then used unchanged. */
typedef struct sn_one_euro_state {
    bool has_value;
    double value[4], velocity[4]; /* units/s, or a rotation vector's rad/s */
} sn_one_euro_state;

/* seconds: since the last sample; a sample with 0 or less changes nothing. values (count <= 4) are replaced by the
 * filtered ones; a value that is not finite by its last one. */
void sn_one_euro_filter(const sn_one_euro *filter, double seconds, int count, sn_one_euro_state *state, double *values);
/* Filters a unit quaternion xyzw. */
void sn_one_euro_rotate(const sn_one_euro *filter, double seconds, sn_one_euro_state *state, double *rotation);

#endif
