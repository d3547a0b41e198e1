/* SPDX-License-Identifier: MIT */
/* The One-Euro filter (Casiez, Roussel, Vogel: 1 Euro Filter, CHI 2012): a low pass whose cutoff rises with speed, so
 * that what rests does not shake and what is fast does not lag. In seconds: the same at any rate of samples, which need
 * not be even. Departs from the paper in one point: a rotation is filtered on the sphere, along the way to the new one,
 * at its angular speed. */
#ifndef SN_HOST_MATH_ONE_EURO_H
#define SN_HOST_MATH_ONE_EURO_H

#include <stdbool.h>

typedef struct sn_one_euro {
    double cutoff;       /* Hz, of what rests */
    double beta;         /* Hz more a unit a second; 0: a plain low pass */
    double speed_cutoff; /* Hz, of the speed itself */
} sn_one_euro;

/* Of up to four numbers that belong together. Zero it to begin: the next sample is taken as it is. */
typedef struct sn_one_euro_state {
    bool has_value;
    double value[4], velocity[4]; /* units, or a rotation vector's radians, a second */
} sn_one_euro_state;

/* seconds: since the last sample; of none (or less) the sample changes nothing. values (count <= 4) become the filtered
 * ones; one that is not finite becomes the last value. */
void sn_one_euro_filter(const sn_one_euro *filter, double seconds, int count, sn_one_euro_state *state, double *values);
/* Of a unit quaternion xyzw. */
void sn_one_euro_rotate(const sn_one_euro *filter, double seconds, sn_one_euro_state *state, double *rotation);

#endif
