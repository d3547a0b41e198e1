// SPDX-License-Identifier: MIT
// Converts the results of MediaPipe's tasks to the parts of a message for one person.

// World landmarks with the visibility of the picture landmarks.
export function poseOf(world, image) {
    return world?.map((point, i) =>
        ({x: point.x, y: point.y, z: point.z, visibility: image?.[i]?.visibility ?? point.visibility}));
}

// MediaPipe's list starts with "_neutral", which is no blendshape, and lacks tongueOut.
export function shapesOf(classifications) {
    const categories = classifications?.[0]?.categories ?? [];
    return Object.fromEntries(categories.filter(c => c.categoryName !== '_neutral')
                                  .map(c => [c.categoryName, c.score]));
}

function distance(a, b) {
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : Infinity;
}

const WRISTS = [15, 16]; // left, right, of a pose's landmarks

// 0: left, 1: right. Chosen by the nearest wrist of the pose in the picture. Without a pose, by the task's handedness,
// which assumes a mirrored picture: "Left" is a right hand.
export function sideOfHand(hand, handedness, imagePose) {
    if (imagePose) {
        return distance(hand[0], imagePose[WRISTS[0]]) <= distance(hand[0], imagePose[WRISTS[1]]) ? 0 : 1;
    }
    return handedness?.[0]?.categoryName === 'Left' ? 1 : 0;
}

const HANDS = ['leftHand', 'rightHand'];

function addHands(moment, result, imagePose) {
    const taken = [Infinity, Infinity];
    (result.landmarks ?? []).forEach((hand, i) => {
        const side = sideOfHand(hand, result.handedness?.[i], imagePose);
        const far = imagePose ? distance(hand[0], imagePose[WRISTS[side]]) : 0;
        if (far < taken[side]) {
            taken[side] = far;
            moment[HANDS[side]] = result.worldLandmarks[i];
            moment.image[HANDS[side]] = hand;
        }
    });
}

// results: {holistic} or any of {pose, hand, face}. Uses the first person of each; moment.image has the same landmarks
// relative to the picture, 0 .. 1, for drawing.
export function momentOf(results, time, mirrored) {
    const moment = {time, mirrored, image: {}};
    const {holistic, pose, hand, face} = results;
    if (holistic) {
        moment.image = {pose: holistic.poseLandmarks?.[0], leftHand: holistic.leftHandLandmarks?.[0],
                        rightHand: holistic.rightHandLandmarks?.[0], face: holistic.faceLandmarks?.[0]};
        moment.pose = poseOf(holistic.poseWorldLandmarks?.[0], moment.image.pose);
        moment.leftHand = holistic.leftHandWorldLandmarks?.[0];
        moment.rightHand = holistic.rightHandWorldLandmarks?.[0];
        moment.blendshapes = shapesOf(holistic.faceBlendshapes);
    }
    if (pose?.worldLandmarks?.[0]) {
        moment.image.pose = pose.landmarks[0];
        moment.pose = poseOf(pose.worldLandmarks[0], pose.landmarks[0]);
    }
    if (hand) {
        addHands(moment, hand, moment.image.pose);
    }
    if (face?.faceLandmarks?.[0]) {
        moment.image.face = face.faceLandmarks[0];
        moment.blendshapes = shapesOf(face.faceBlendshapes);
        moment.face = face.facialTransformationMatrixes?.[0]?.data;
    }
    return moment;
}
