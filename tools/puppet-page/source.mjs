// SPDX-License-Identifier: MIT
// Sources of pictures: a camera, a video file or a picture file. Each is an element that is drawn and tracked.

function ready(element, event, failure) {
    return new Promise((resolve, reject) => {
        element.addEventListener(event, () => resolve(element), {once: true});
        element.addEventListener('error', () => reject(new Error(failure)), {once: true});
    });
}

const CAMERA_WORDS = {
    NotAllowedError: 'the browser was not allowed to use the camera',
    NotFoundError: 'there is no camera',
    NotReadableError: 'another program holds the camera'
};

// Returns {element, width, height, stop}. Throws an Error with a message for the user.
export async function openCamera() {
    if (!navigator.mediaDevices) {
        throw new Error('this browser gives a camera to pages of localhost or https alone');
    }
    let stream;
    try {
        stream = await navigator.mediaDevices.getUserMedia({video: {width: 1280, height: 720}, audio: false});
    } catch (error) {
        throw new Error(`camera: ${CAMERA_WORDS[error.name] ?? error.message}`);
    }
    const video = document.createElement('video');
    video.muted = true;
    video.srcObject = stream;
    await video.play();
    const stop = () => stream.getTracks().forEach(track => track.stop());
    return {element: video, width: video.videoWidth, height: video.videoHeight, stop};
}

// Returns true if the picture has changed since the last call: a video has a lower frame rate than the screen.
export function hasNewPicture(source) {
    const at = source.element.currentTime;
    const isNew = at === undefined || at !== source.takenAt;
    source.takenAt = at;
    return isNew;
}

export async function openFile(file) {
    const url = URL.createObjectURL(file), isVideo = file.type.startsWith('video/');
    const element = document.createElement(isVideo ? 'video' : 'img');
    const failure = `${file.name}: no picture or video that this browser can show`;
    const isReady = ready(element, isVideo ? 'loadeddata' : 'load', failure);
    if (isVideo) {
        element.muted = element.loop = true;
    }
    element.src = url;
    await isReady;
    if (isVideo) {
        await element.play();
    }
    const stop = () => {
        if (isVideo) {
            element.pause();
        }
        URL.revokeObjectURL(url);
    };
    return {
        element, stop,
        width: isVideo ? element.videoWidth : element.naturalWidth,
        height: isVideo ? element.videoHeight : element.naturalHeight
    };
}
