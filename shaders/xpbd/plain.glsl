/* SPDX-License-Identifier: MIT */
/* Stubs of shaders/layered/attached.glsl, for bodies without bone-attached vertices. */

const bool has_weights = false;

float weighed(uint group, uint row, float inverse_mass)
{
    return inverse_mass;
}

bool is_carried()
{
    return false;
}

real3 carried_middle()
{
    return real3(0);
}

void begin_sweep(uint sweep) {}
void carry(uint substep) {}
void hold_carried() {}
void pose_flesh() {}
void find_fields(uint substep) {}
void damp_along(uint row) {}
