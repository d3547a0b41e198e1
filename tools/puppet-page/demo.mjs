// SPDX-License-Identifier: MIT
// A dance without a camera: landmarks of a person with rotating joints, in MediaPipe's form.

const TURN = 2 * Math.PI;
const LEFT = 1, RIGHT = -1; // sign of a side for a person that faces the viewer; x is to its left, y up, z ahead

function multiply(a, b) {
    const result = [];
    for (let i = 0; i < 3; ++i) {
        for (let j = 0; j < 3; ++j) {
            result.push(a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j]);
        }
    }
    return result;
}

function turnX(angle) {
    const c = Math.cos(angle), s = Math.sin(angle);
    return [1, 0, 0, 0, c, -s, 0, s, c];
}

function turnY(angle) {
    const c = Math.cos(angle), s = Math.sin(angle);
    return [c, 0, s, 0, 1, 0, -s, 0, c];
}

function turnZ(angle) {
    const c = Math.cos(angle), s = Math.sin(angle);
    return [c, -s, 0, s, c, 0, 0, 0, 1];
}

function from(place, turn, x, y, z) {
    return [0, 1, 2].map(i => place[i] + turn[3 * i] * x + turn[3 * i + 1] * y + turn[3 * i + 2] * z);
}

function wave(seconds, hertz, phase = 0) {
    return Math.sin(TURN * (hertz * seconds + phase));
}

// Landmarks 0 to 10 of a head: eyes, nose, ears, mouth.
const FACE = [
    [0, -0.02, 0.1], [0.015, 0.03, 0.085], [0.03, 0.03, 0.08], [0.045, 0.03, 0.075], [-0.015, 0.03, 0.085],
    [-0.03, 0.03, 0.08], [-0.045, 0.03, 0.075], [0.08, 0, 0], [-0.08, 0, 0], [0.025, -0.06, 0.08], [-0.025, -0.06, 0.08]
];

function putFace(points, skull, head) {
    FACE.forEach((place, i) => { points[i] = from(skull, head, ...place); });
}

const FINGERS = [[0.025, 0.03], [0.09, 0.03], [0.092, 0.008], [0.088, -0.012], [0.08, -0.03]];

// The wrist, then four points per curled finger.
function handOf(side, turn, curl) {
    const points = [[0, 0, 0]];
    FINGERS.forEach(([along, ahead], finger) => {
        let place = from([0, 0, 0], turn, side * along, 0, ahead);
        let bent = finger === 0 ? multiply(turn, turnY(-side * 0.8)) : turn;
        points.push(place);
        for (let joint = 0; joint < 3; ++joint) {
            bent = multiply(bent, turnZ(-side * curl * (finger === 0 ? 0.3 : 1)));
            place = from(place, bent, side * (0.035 - 0.006 * joint), 0, 0);
            points.push(place);
        }
    });
    return points;
}

function putArm(points, hands, side, shoulder, chest, t) {
    const at = side === LEFT ? 0 : 1;
    const lift = -0.5 + 0.75 * wave(t, 0.5, at / 2), bend = 0.9 + 0.5 * wave(t, 1, at / 2);
    const upper = multiply(multiply(chest, turnZ(side * lift)), turnX(-0.8 - 0.6 * wave(t, 0.5, at / 2)));
    const elbow = from(shoulder, upper, side * 0.28, 0, 0);
    const lower = multiply(upper, turnY(-side * bend));
    const wrist = from(elbow, lower, side * 0.25, 0, 0);
    const hand = multiply(lower, turnZ(side * 0.3 * wave(t, 1, 0.2 + at / 2)));
    [[11, shoulder], [13, elbow], [15, wrist], [17, from(wrist, hand, side * 0.08, 0, -0.03)],
     [19, from(wrist, hand, side * 0.09, 0, 0.03)], [21, from(wrist, hand, side * 0.05, 0, 0.05)]]
        .forEach(([point, place]) => { points[point + at] = place; });
    hands[at] = handOf(side, hand, 0.5 + 0.45 * wave(t, 0.5, 0.1));
}

// Knees bend with the beat, one more than the other, and deeply once every 8 s; soles stay level.
function putLeg(points, side, hip, hips, t) {
    const at = side === LEFT ? 0 : 1, low = 0.6 * Math.max(0, wave(t, 0.125, 0.5)) ** 2;
    const bend = 0.35 + low + 0.2 * wave(t, 1) + 0.15 * side * wave(t, 0.5);
    const upper = multiply(multiply(hips, turnZ(side * 0.08)), turnX(-bend));
    const knee = from(hip, upper, 0, -0.42, 0);
    const lower = multiply(upper, turnX(2 * bend));
    const ankle = from(knee, lower, 0, -0.4, 0);
    const foot = turnY(side * 0.25);
    const heel = from(ankle, foot, 0, -0.08, -0.04);
    [[23, hip], [25, knee], [27, ankle], [29, heel], [31, from(heel, foot, 0, 0, 0.22)]]
        .forEach(([point, place]) => { points[point + at] = place; });
}

function blendshapesAt(t) {
    const blink = Math.max(0, 1 - Math.abs(t % 3.1 - 0.15) / 0.12);
    const smile = 0.4 + 0.4 * wave(t, 0.13), jaw = Math.max(0, 0.5 * wave(t, 1));
    const look = 0.5 * wave(t, 0.25);
    return {
        eyeBlinkLeft: blink, eyeBlinkRight: blink, mouthSmileLeft: smile, mouthSmileRight: smile, jawOpen: jaw,
        browInnerUp: 0.3 + 0.3 * wave(t, 0.5), eyeLookOutLeft: Math.max(look, 0), eyeLookInRight: Math.max(look, 0),
        eyeLookInLeft: Math.max(-look, 0), eyeLookOutRight: Math.max(-look, 0)
    };
}

// Converts x left, y up, z ahead to MediaPipe's axes: right in the picture, down, away.
function toPicture([x, y, z]) {
    return {x, y: -y, z: -z};
}

// Projection by a distant camera whose picture has the given height in metres; the person steps left and right.
const PICTURE = 2.5;

function imageOf(points, t) {
    const aside = 0.45 * wave(t, 0.125);
    return points.map(p => ({x: 0.5 + (p.x + aside) / PICTURE, y: 0.5 + p.y / PICTURE, z: p.z / PICTURE}));
}

// The frame at a time in milliseconds, as momentOf returns it for a camera.
export function demoMoment(time, mirrored = false) {
    const t = time / 1000, points = [], hands = [];
    const hips = multiply(turnY(0.35 * wave(t, 0.25)), turnZ(0.12 * wave(t, 0.5)));
    const chest = multiply(hips, turnY(0.3 * wave(t, 0.5, 0.25)));
    const middle = from([0, 0, 0], hips, 0, 0.5, 0);
    const head = multiply(multiply(chest, turnZ(-0.15 * wave(t, 0.5))), turnX(0.12 + 0.12 * wave(t, 1)));
    putFace(points, from(middle, chest, 0, 0.2, 0), head);
    for (const side of [LEFT, RIGHT]) {
        putArm(points, hands, side, from(middle, chest, side * 0.18, 0, 0), chest, t);
        putLeg(points, side, from([0, 0, 0], hips, side * 0.1, 0, 0), hips, t);
    }
    const pose = points.map(toPicture).map(p => ({...p, visibility: 1}));
    return {
        time, mirrored, pose, image: {pose: imageOf(pose, t)}, aspect: 1,
        leftHand: hands[0].map(toPicture), rightHand: hands[1].map(toPicture),
        blendshapes: blendshapesAt(t)
    };
}
