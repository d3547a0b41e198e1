// SPDX-License-Identifier: MIT
// Draws the landmarks over the picture, or in metres without a picture.

export const POSE_LINES = [
    [11, 12], [11, 13], [13, 15], [15, 17], [15, 19], [17, 19], [12, 14], [14, 16], [16, 18], [16, 20], [18, 20],
    [11, 23], [12, 24], [23, 24], [23, 25], [25, 27], [27, 29], [27, 31], [29, 31], [24, 26], [26, 28], [28, 30],
    [28, 32], [30, 32], [0, 7], [0, 8], [9, 10]
];
export const HAND_LINES = [
    [0, 1], [0, 5], [0, 17], [5, 9], [9, 13], [13, 17],
    ...[1, 5, 9, 13, 17].flatMap(first => [0, 1, 2].map(k => [first + k, first + k + 1]))
];

const SEEN = 0.5;

function drawLines(context, points, lines, place, width) {
    context.lineWidth = width;
    context.lineCap = 'round';
    for (const [a, b] of lines) {
        const seen = Math.min(points[a].visibility ?? 1, points[b].visibility ?? 1);
        context.globalAlpha = seen >= SEEN ? 1 : 0.2;
        context.beginPath();
        context.moveTo(...place(points[a]));
        context.lineTo(...place(points[b]));
        context.stroke();
    }
    context.globalAlpha = 1;
}

function drawDots(context, points, place, size) {
    for (const point of points) {
        const [x, y] = place(point);
        context.fillRect(x - size / 2, y - size / 2, size, size);
    }
}

// Landmarks relative to the picture's sides, 0 .. 1.
function drawImage(context, image, width, height) {
    const place = point => [point.x * width, point.y * height];
    context.strokeStyle = context.fillStyle = '#5ee0a0';
    if (image.face) {
        drawDots(context, image.face, place, 1.5);
    }
    if (image.pose) {
        drawLines(context, image.pose, POSE_LINES, place, 3);
    }
    for (const hand of [image.leftHand, image.rightHand]) {
        if (hand) {
            drawLines(context, hand, HAND_LINES, place, 2);
        }
    }
}

// Landmarks in metres, seen from the front; hands are drawn at their wrists.
function drawWorld(context, moment, width, height) {
    const scale = height / 2.1;
    const place = point => [width / 2 + scale * point.x, 0.5 * height + scale * point.y];
    context.strokeStyle = '#5ee0a0';
    drawLines(context, moment.pose, POSE_LINES, place, 4);
    [moment.leftHand, moment.rightHand].forEach((hand, side) => {
        const wrist = moment.pose[15 + side];
        if (hand) {
            const at = point => place({x: wrist.x + point.x - hand[0].x, y: wrist.y + point.y - hand[0].y});
            drawLines(context, hand, HAND_LINES, at, 2);
        }
    });
}

// picture: an image source for drawImage of a canvas, or null.
export function draw(canvas, moment, picture) {
    const context = canvas.getContext('2d'), {width, height} = canvas;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, height);
    if (moment.mirrored) {
        context.setTransform(-1, 0, 0, 1, width, 0);
    }
    if (picture) {
        context.drawImage(picture, 0, 0, width, height);
        drawImage(context, moment.image, width, height);
    } else if (moment.pose) {
        drawWorld(context, moment, width, height);
    }
}
