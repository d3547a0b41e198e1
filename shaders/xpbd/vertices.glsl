/* SPDX-License-Identifier: MIT */
/* Operations of a substep on each vertex: the implementation of host/xpbd/vertices.inc and of the damping in
 * host/xpbd/step.c. */

void predict(uint row)
{
    const vec4 u = displacement(row), v = velocities[body.row + row];
    const float is_free = u.w > 0 ? 1 : 0;
    const vec3 gravity_step = vec3(body.gravity_step[0], body.gravity_step[1], body.gravity_step[2]);
    precise const vec3 velocity = v.xyz + gravity_step * is_free;
    precise const vec3 moved = u.xyz + velocity * (body.substep_length * is_free);
    velocities[body.row + row].xyz = velocity;
    predicted[body.row + row] = vec4(moved, u.w);
    set_displacement(row, vec4(moved, u.w));
}

void update_velocity(uint row)
{
    const vec3 v = velocities[body.row + row].xyz;
    precise const vec3 velocity = v +
        (displacement(row).xyz - predicted[body.row + row].xyz) * body.inverse_substep_length;
    velocities[body.row + row].xyz = velocity;
}

// ---- damping ----

vec3 position_of(uint row)
{
    precise const vec3 position = displacement(row).xyz + rests[body.rest + row].xyz;
    return position;
}

/* Sums over a block in float, row by row. */
void measure(uint block)
{
    precise float mass = 0;
    precise vec3 momentum = vec3(0), first = vec3(0), angular = vec3(0), squares = vec3(0), products = vec3(0);
    for (uint row = block * SN_XPBD_BLOCK; row < (block + 1) * SN_XPBD_BLOCK; ++row) {
        const vec3 r = position_of(row);
        const vec4 v = velocities[body.row + row];
        precise const vec3 mass_moment = v.w * r, moment = (mass_moment * v.yzx - mass_moment.yzx * v.xyz).yzx;
        mass += v.w;
        momentum += v.w * v.xyz;
        first += mass_moment;
        angular += moment;
        squares += mass_moment * r;
        products += mass_moment * r.yzx;
    }
    const uint word = body.scratch + SN_XPBD_MOMENTS * block;
    scratch[word] = floatBitsToUint(mass);
    for (uint d = 0; d < 3; ++d) {
        scratch[word + 1 + d] = floatBitsToUint(momentum[d]);
        scratch[word + 4 + d] = floatBitsToUint(first[d]);
        scratch[word + 7 + d] = floatBitsToUint(angular[d]);
        scratch[word + 10 + d] = floatBitsToUint(squares[d]);
        scratch[word + 13 + d] = floatBitsToUint(products[d]);
    }
}

/* Sums moment `lane` over the blocks, in double. */
void sum_moments()
{
    if (lane < SN_XPBD_MOMENTS) {
        precise real sum = 0;
        for (uint block = 0; block < block_count(); ++block) {
            sum += real(uintBitsToFloat(scratch[body.scratch + SN_XPBD_MOMENTS * block + lane]));
        }
        sums[lane] = real2(sum, 0);
    }
    synchronise();
}

real3 sums_from(uint first)
{
    return real3(sums[first].x, sums[first + 1].x, sums[first + 2].x);
}

/* Solves inertia omega = angular momentum by Cramer's rule, with a small regularisation. */
real3 spin(real3 squares, real3 products, real3 angular)
{
    precise const real trace = squares.x + squares.y + squares.z;
    precise const real3 diagonal = trace - squares + (1 / real(1e9)) * trace;
    const real xx = diagonal.x, yy = diagonal.y, zz = diagonal.z, xy = -products.x, yz = -products.y, zx = -products.z;
    precise const real3 c0 = real3(yy * zz - yz * yz, zx * yz - xy * zz, xy * yz - zx * yy);
    precise const real3 c1 = real3(xx * zz - zx * zx, xy * zx - xx * yz, xx * yy - xy * xy);
    precise const real determinant = xx * c0.x + xy * c0.y + zx * c0.z;
    precise const real inverse = determinant > 0 ? 1 / determinant : 0;
    precise const real3 omega = inverse * real3(dot_of(c0, angular), dot_of(real3(c0.y, c1.x, c1.y), angular),
                                                dot_of(real3(c0.z, c1.y, c1.z), angular));
    return omega;
}

void store_rigid(uint first, real3 v)
{
    for (uint d = 0; d < 3; ++d) {
        scratch[first_rigid_word() + first + d] = floatBitsToUint(float(v[d]));
    }
}

/* The rigid motion with the body's linear and angular momentum, around its center of mass. */
void find_rigid()
{
    if (lane == 0) {
        real3 linear = real3(0), centre = real3(0), omega = real3(0);
        const real mass = sums[0].x;
        if (has_flag(SN_XPBD_RIGID_UNDAMPED) && mass > 0) {
            const real3 momentum = sums_from(1);
            precise const real3 shift = sums_from(4) / mass;
            precise const real3 angular = sums_from(7) - (shift.yzx * momentum.zxy - shift.zxy * momentum.yzx);
            precise const real3 squares = sums_from(10) - mass * shift * shift;
            precise const real3 products = sums_from(13) - mass * shift * shift.yzx;
            precise const real3 velocity = momentum / mass;
            linear = velocity;
            centre = shift;
            omega = spin(squares, products, angular);
        }
        store_rigid(0, linear);
        store_rigid(3, centre);
        store_rigid(6, omega);
    }
    synchronise();
}

vec3 rigid_words(uint first)
{
    const uint word = first_rigid_word() + first;
    return uintBitsToFloat(uvec3(scratch[word], scratch[word + 1], scratch[word + 2]));
}

void damp(uint row)
{
    const vec3 linear = rigid_words(0), centre = rigid_words(3), angular = rigid_words(6);
    const vec3 v = velocities[body.row + row].xyz;
    precise const vec3 r = position_of(row) - centre;
    precise const vec3 rigid = linear + (angular * r.yzx - angular.yzx * r).yzx;
    precise const vec3 changed = v + body.damping_factor * (rigid - v);
    velocities[body.row + row].xyz = changed;
}
