// SPDX-License-Identifier: MIT
// MediaPipe's tasks, created from the user's .task files: one holistic landmarker, or separate files for pose, hands and
// face.
import {momentOf} from './results.mjs';

const TASKS = {
    holistic: {name: 'HolisticLandmarker', options: {outputFaceBlendshapes: true}},
    pose: {name: 'PoseLandmarker', options: {numPoses: 1}},
    hand: {name: 'HandLandmarker', options: {numHands: 2}},
    face: {name: 'FaceLandmarker',
           options: {numFaces: 1, outputFaceBlendshapes: true, outputFacialTransformationMatrixes: true}}
};

// Detects the task by its published file name, such as pose_landmarker_full.task; null if unknown.
export function taskOfFile(name) {
    return Object.keys(TASKS).find(task => name.toLowerCase().includes(task)) ?? null;
}

export class Tracker {
    // delegate: 'GPU' (WebGL) or 'CPU'
    constructor(delegate = 'GPU') {
        this.delegate = delegate;
        this.tasks = {};
        this.last = 0;
    }

    get names() {
        return Object.keys(this.tasks);
    }

    // bytes: a Uint8Array of the file. Throws an Error with a message for the user.
    async add(name, bytes) {
        const kind = taskOfFile(name);
        if (!kind) {
            throw new Error(`${name}: its name says none of ${Object.keys(TASKS).join(', ')}`);
        }
        const vision = await this.load();
        const {name: landmarker, options} = TASKS[kind];
        try {
            const task = await vision.api[landmarker].createFromOptions(vision.files, {
                ...options, runningMode: 'VIDEO', baseOptions: {modelAssetBuffer: bytes, delegate: this.delegate}
            });
            this.tasks[kind]?.close();
            this.tasks[kind] = task;
        } catch (error) {
            throw new Error(`${name}: MediaPipe cannot use it: ${error.message ?? error}`);
        }
    }

    async load() {
        if (!this.vision) {
            try {
                const api = await import('./vision/vision_bundle.mjs');
                const folder = new URL('./vision/wasm', import.meta.url).href;
                this.vision = {api, files: await api.FilesetResolver.forVisionTasks(folder)};
            } catch (error) {
                throw new Error(`MediaPipe is not part of this page (${error.message ?? error}): ` +
                                'its script `build` adds it, where npm can get it');
            }
        }
        return this.vision;
    }

    // picture: a video or an image. Times must increase.
    track(picture, time, mirrored) {
        this.last = Math.max(time, this.last + 1);
        const results = {};
        for (const [kind, task] of Object.entries(this.tasks)) {
            results[kind] = task.detectForVideo(picture, this.last);
        }
        return momentOf(results, time, mirrored);
    }
}
