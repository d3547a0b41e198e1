/* SPDX-License-Identifier: MIT */
/* Stubs of shaders/layered/attached.glsl, for bodies without bone-attached vertices. */

const bool has_scaled_masses = false;

float scaled_inverse_mass(uint group, uint row, float inverse_mass)
{
    return inverse_mass;
}

bool has_attached()
{
    return false;
}

real3 mean_attached()
{
    return real3(0);
}

void begin_sweep(uint sweep) {}
void move_attached(uint substep) {}
void fix_attached() {}
void pose_flesh() {}
void compute_velocity_fields(uint substep) {}
void damp_to_bones(uint row) {}
