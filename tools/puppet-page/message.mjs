// SPDX-License-Identifier: MIT
// The messages on the socket: one JSON document per tracked frame. docs/reference/landmark-messages.md has the schema, and
// runtime/puppet/message.h its reader.

export const VERSION = 1;
export const POSE_COUNT = 33;
export const HAND_COUNT = 21;

// Coordinates are metres and weights 0 .. 1; five decimals are 0.01 mm.
function rounded(value) {
    return Math.round(value * 1e5) / 1e5;
}

function clamped(value, least, most) {
    return Math.min(Math.max(value, least), most);
}

function isPoints(points, count) {
    return Array.isArray(points) && points.length === count &&
        points.every(p => [p.x, p.y, p.z].every(Number.isFinite));
}

function posePoints(points) {
    return points.map(p => [rounded(p.x), rounded(p.y), rounded(p.z), rounded(clamped(p.visibility ?? 1, 0, 1))]);
}

function handPoints(points) {
    return points.map(p => [rounded(p.x), rounded(p.y), rounded(p.z)]);
}

// Relative to the center of the picture, in units of its height.
function imagePoints(points, aspect) {
    return points.map(p => [rounded((p.x - 0.5) * aspect), rounded(p.y - 0.5)]);
}

// Returns true if a message would contain more than the time.
export function isAnything(moment) {
    return Boolean(moment.pose || moment.leftHand || moment.rightHand || moment.face ||
                   Object.keys(moment.blendshapes ?? {}).length > 0);
}

// moment: {time, mirrored, pose, image, aspect, leftHand, rightHand, face, blendshapes}, all but time optional. Points are {x, y, z}
// of MediaPipe's world landmarks (a pose's with visibility); image.pose has the pose in the picture, 0 .. 1 of its sides,
// and aspect is its width by its height; face is the 16 numbers of its matrix, column by column,
// blendshapes an object of weights by name. Incomplete parts are left out.
export function buildMessage(moment) {
    const message = {sinew: 'landmarks', version: VERSION, time: rounded(moment.time)};
    if (moment.mirrored) {
        message.mirrored = true;
    }
    if (isPoints(moment.pose, POSE_COUNT)) {
        message.pose = posePoints(moment.pose);
        if (moment.aspect > 0 && isPoints(moment.image?.pose, POSE_COUNT)) {
            message.image = imagePoints(moment.image.pose, moment.aspect);
        }
    }
    for (const hand of ['leftHand', 'rightHand']) {
        if (isPoints(moment[hand], HAND_COUNT)) {
            message[hand] = handPoints(moment[hand]);
        }
    }
    if (moment.face?.length === 16 && Array.from(moment.face).every(Number.isFinite)) {
        message.face = Array.from(moment.face, rounded);
    }
    const shapes = Object.entries(moment.blendshapes ?? {}).filter(([, weight]) => Number.isFinite(weight));
    if (shapes.length > 0) {
        message.blendshapes = Object.fromEntries(shapes.map(([name, weight]) => [name, rounded(weight)]));
    }
    return JSON.stringify(message);
}
