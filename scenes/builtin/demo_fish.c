/* SPDX-License-Identifier: MIT */
/* Scenes after the authors' four fish demos: "fish_comp" (two driven bones, flesh complementary to these only),
 * "fish_control" (driven head), "fish_comp_affine" (points that stretch) and "fish_deform" (suspended under gravity).
 */
#include "scenes/builtin/demos.h"

static void start(sn_scene_script *script, sn_scene_character *fish, sn_scene_body *body, double area, double shear)
{
    *fish = sn_default_scene_character();
    fish->name = "fish";
    fish->shape = sn_demo_fish;
    fish->cook.handles = &sn_demo_fish_spine;
    sn_demo_set_compliances(&fish->cook, true, area, shear);
    script->characters = fish;
    script->character_count = 1;
    script->bodies = body;
    script->body_count = 1;
    sn_demo_set_camera(script, 0, 0, 2.6);
}

void sn_demo_build_fish_comp(sn_scene_script *script)
{
    static sn_scene_character fish;
    static sn_scene_body body;
    static const sn_scene_lock all[] = {{0, SN_LOCK_ALL}};
    static const sn_scene_drive drives[] = {
        {.bone = "head", .rotation.at[2].expression = "0.35*sin(6*t)", .locks = all, .lock_count = 1},
        {.bone = "chest", .rotation.at[2].expression = "0.525*sin(6*t)", .locks = all, .lock_count = 1}};
    script->name = "fish_comp";
    script->description = "A fish's head and chest are keyed; stem and tail follow by physics (2D)";
    start(script, &fish, &body, 1e-3, 1e-2);
    fish.shape.edge_length = 0.03; /* a finer mesh would be too soft for so few sweeps, and its tail would fold over */
    body = sn_demo_coupled_body(6, 2, 0.993, 2e-3);
    body.desc.is_constraint_locked_only = true;
    body.drives = drives;
    body.drive_count = 2;
}

void sn_demo_build_fish_control(sn_scene_script *script)
{
    static sn_scene_character fish;
    static sn_scene_body body;
    static const sn_scene_lock all[] = {{0, SN_LOCK_ALL}};
    static const sn_scene_drive drives[] = {
        {.bone = "head", .rotation.at[2].expression = "0.4*sin(9*t)", .locks = all, .lock_count = 1}};
    script->name = "fish_control";
    script->description = "Only the head is keyed; the rest of the spine follows (2D)";
    start(script, &fish, &body, 1e-3, 1e-3);
    body = sn_demo_coupled_body(15, 1, 0.991, 1e-3);
    body.drives = drives;
    body.drive_count = 1;
}

void sn_demo_build_fish_comp_affine(sn_scene_script *script)
{
    static sn_scene_character fish;
    static sn_scene_body body;
    static const sn_cook_handle points[] = {
        {.name = "head", .parent = -1, .start = {0.32, 0.02}, .is_stretchable = true},
        {.name = "back", .parent = -1, .start = {0.02, 0.02}, .is_stretchable = true},
        {.name = "tail", .parent = -1, .start = {-0.4, 0}, .is_stretchable = true}};
    static const sn_cook_handles handles = {.name = "the fish", .count = 3, .handles = points};
    static const sn_scene_lock all[] = {{0, SN_LOCK_ALL}};
    static const sn_scene_drive drives[] = {
        {.bone = "head",
         .rotation.at[2].expression = "0.35*sin(6*t)",
         .stretch.at = {{.expression = "0.25*sin(12*t)"}, {.expression = "-0.2*sin(12*t)"}},
         .locks = all,
         .lock_count = 1}};
    script->name = "fish_comp_affine";
    script->description = "Three points that rotate and stretch; the head is keyed, the others follow (2D)";
    start(script, &fish, &body, 1e-3, 1e-2);
    fish.cook.handles = &handles;
    body = sn_demo_coupled_body(5, 1, 0.993, 1e-3);
    body.drives = drives;
    body.drive_count = 1;
}

void sn_demo_build_fish_deform(sn_scene_script *script)
{
    static sn_scene_character fish;
    static sn_scene_body body;
    static const sn_scene_lock held_locks[] = {{0, SN_LOCK_ALL}, {7, 0}};
    static const sn_scene_drive drives[] = {
        {.bone = "head",
         .translation.at = {{0}, {.expression = "0.12*sin(5*t)*smooth(3,4,t)*(1-smooth(5.5,6,t))"}},
         .locks = held_locks,
         .lock_count = 2}};
    script->name = "fish_deform";
    script->description = "A fish hangs from its head under gravity, is shaken and released (2D)";
    start(script, &fish, &body, 1e-3, 1e-2);
    script->gravity.at[1].constant = -1;
    script->has_floor = true;
    script->floor_height = -0.62;
    script->floor_friction = 0.4;
    sn_demo_set_camera(script, 0, -0.12, 2.9);
    fish.cook.density = 20; /* a lighter fish would hardly bend, a heavier one would be flattened by its fall */
    body = sn_demo_coupled_body(6, 2, 0.9995, 1e-3);
    body.drives = drives;
    body.drive_count = 1;
}
