/* SPDX-License-Identifier: MIT */
/* Operations of a substep on each vertex: the implementation of host/xpbd/vertices.inc and of the damping in
 * host/xpbd/step.c. */

void predict(uint row)
{
    const vec4 u = displacement(row), v = velocities[body.row + row];
    const float is_free = u.w > 0 ? 1 : 0;
    const vec3 gained = vec3(body.gained[0], body.gained[1], body.gained[2]);
    precise const vec3 velocity = v.xyz + gained * is_free;
    precise const vec3 moved = u.xyz + velocity * (body.substep_length * is_free);
    velocities[body.row + row].xyz = velocity;
    predicted[body.row + row] = vec4(moved, u.w);
    set_displacement(row, vec4(moved, u.w));
}

void take_velocity(uint row)
{
    const vec3 v = velocities[body.row + row].xyz;
    precise const vec3 velocity = v +
        (displacement(row).xyz - predicted[body.row + row].xyz) * body.rate;
    velocities[body.row + row].xyz = velocity;
}

// ---- damping ----

vec3 place_of(uint row)
{
    precise const vec3 place = displacement(row).xyz + rests[body.rest + row].xyz;
    return place;
}

/* Sums over a block in float, row by row. */
void measure(uint block)
{
    precise float mass = 0;
    precise vec3 momentum = vec3(0), first = vec3(0), angular = vec3(0), squares = vec3(0), products = vec3(0);
    for (uint row = block * SN_XPBD_BLOCK; row < (block + 1) * SN_XPBD_BLOCK; ++row) {
        const vec3 r = place_of(row);
        const vec4 v = velocities[body.row + row];
        precise const vec3 carried = v.w * r, moment = (carried * v.yzx - carried.yzx * v.xyz).yzx;
        mass += v.w;
        momentum += v.w * v.xyz;
        first += carried;
        angular += moment;
        squares += carried * r;
        products += carried * r.yzx;
    }
    const uint word = body.kept + SN_XPBD_MOMENTS * block;
    kept[word] = floatBitsToUint(mass);
    for (uint d = 0; d < 3; ++d) {
        kept[word + 1 + d] = floatBitsToUint(momentum[d]);
        kept[word + 4 + d] = floatBitsToUint(first[d]);
        kept[word + 7 + d] = floatBitsToUint(angular[d]);
        kept[word + 10 + d] = floatBitsToUint(squares[d]);
        kept[word + 13 + d] = floatBitsToUint(products[d]);
    }
}

/* Sums moment `lane` over the blocks, in double. */
void sum_moments()
{
    if (lane < SN_XPBD_MOMENTS) {
        precise real sum = 0;
        for (uint block = 0; block < block_count(); ++block) {
            sum += real(uintBitsToFloat(kept[body.kept + SN_XPBD_MOMENTS * block + lane]));
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

void keep_rigid(uint first, real3 v)
{
    for (uint d = 0; d < 3; ++d) {
        kept[first_rigid_word() + first + d] = floatBitsToUint(float(v[d]));
    }
}

/* The rigid motion with the body's linear and angular momentum, around its center of mass. */
void find_rigid()
{
    if (lane == 0) {
        real3 linear = real3(0), centre = real3(0), omega = real3(0);
        const real mass = sums[0].x;
        if (has_flag(SN_XPBD_RIGID_KEPT) && mass > 0) {
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
        keep_rigid(0, linear);
        keep_rigid(3, centre);
        keep_rigid(6, omega);
    }
    synchronise();
}

vec3 rigid_words(uint first)
{
    const uint word = first_rigid_word() + first;
    return uintBitsToFloat(uvec3(kept[word], kept[word + 1], kept[word + 2]));
}

void damp(uint row)
{
    const vec3 linear = rigid_words(0), centre = rigid_words(3), angular = rigid_words(6);
    const vec3 v = velocities[body.row + row].xyz;
    precise const vec3 r = place_of(row) - centre;
    precise const vec3 rigid = linear + (angular * r.yzx - angular.yzx * r).yzx;
    precise const vec3 changed = v + body.lost * (rigid - v);
    velocities[body.row + row].xyz = changed;
}
