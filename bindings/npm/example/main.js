// SPDX-License-Identifier: MIT
// Shows an avatar with flesh. Nothing is uploaded: the files stay in the browser.

import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { VRMLoaderPlugin, VRMUtils } from '@pixiv/three-vrm';
import { Sinew } from 'sinew';

const element = (id) => document.getElementById(id);
const renderer = new THREE.WebGLRenderer({ antialias: true });
renderer.setPixelRatio(devicePixelRatio);
renderer.setClearColor(0xdfe4ea);
document.body.append(renderer.domElement);
const camera = new THREE.PerspectiveCamera(30, 1, 0.01, 1000);
const controls = new OrbitControls(camera, renderer.domElement);
const loader = new GLTFLoader();
loader.register((parser) => new VRMLoaderPlugin(parser));

let shown = null;
const chosen = {};

function resize() {
    renderer.setSize(innerWidth, innerHeight);
    camera.aspect = innerWidth / innerHeight;
    camera.updateProjectionMatrix();
}

function lookAt(root) {
    root.updateMatrixWorld(true);
    const box = new THREE.Box3().setFromObject(root);
    const length = box.getSize(new THREE.Vector3()).length();
    box.getCenter(controls.target);
    camera.position.copy(controls.target).add(new THREE.Vector3(0.3, 0.1, 2).multiplyScalar(length));
    camera.near = length / 100;
    camera.far = length * 100;
    camera.updateProjectionMatrix();
    return length;
}

async function show({ avatar, model }) {
    const gltf = await loader.parseAsync(avatar, '');
    const sinew = await Sinew.load(new Uint8Array(model));
    const vrm = gltf.userData.vrm;
    const root = vrm?.scene ?? gltf.scene;
    if (vrm) {
        VRMUtils.rotateVRM0(vrm); // VRM 0.x looks the other way
    }
    try {
        const flesh = sinew.attach(vrm ?? root);
        shown?.sinew.dispose();
        const scene = new THREE.Scene();
        scene.add(root, new THREE.HemisphereLight(0xffffff, 0x888888, 1.5));
        const light = new THREE.DirectionalLight(0xffffff, 2);
        light.position.set(1, 2, 3);
        scene.add(light);
        shown = { sinew, flesh, vrm, root, scene, length: lookAt(root), mixer: new THREE.AnimationMixer(root),
            clips: gltf.animations };
    } catch (error) {
        sinew.dispose();
        throw error;
    }
    element('clips').replaceChildren(...['hop', ...gltf.animations.map(({ name }) => name)].map((name) =>
        new Option(name)));
    element('clips').selectedIndex = gltf.animations.length > 0 ? 1 : 0;
    playClip();
    applySettings();
}

function playClip() {
    shown?.mixer.stopAllAction();
    const clip = shown?.clips[element('clips').selectedIndex - 1];
    if (clip) {
        shown.mixer.clipAction(clip).play();
    }
}

function applySettings() {
    shown?.flesh.set({ amount: Number(element('amount').value), stiffness: Number(element('stiffness').value) });
}

async function take(files) {
    for (const file of files) {
        chosen[file.name.endsWith('.sinew') ? 'model' : 'avatar'] = { name: file.name, bytes: await file.arrayBuffer() };
    }
    const { avatar, model } = chosen;
    if (!avatar || !model) {
        element('message').textContent = avatar ? `${avatar.name} is here; its model is missing. Make it with ` +
            `"sinew cook ${avatar.name} -o avatar.sinew".` : 'The avatar is missing.';
        return;
    }
    try {
        await show({ avatar: avatar.bytes, model: model.bytes });
        element('message').textContent = avatar.name;
    } catch (error) {
        element('message').textContent = `${avatar.name}, ${model.name}: ${error.message}`;
    }
}

addEventListener('resize', resize);
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', (event) => {
    event.preventDefault();
    take(event.dataTransfer.files);
});
element('files').addEventListener('change', (event) => take(event.target.files));
element('clips').addEventListener('change', playClip);
element('amount').addEventListener('input', applySettings);
element('stiffness').addEventListener('input', applySettings);

let last = performance.now();
let seconds = 0;
renderer.setAnimationLoop((now) => {
    const delta = Math.min((now - last) / 1000, 0.1);
    last = now;
    if (!shown) {
        return;
    }
    seconds += delta;
    shown.mixer.update(delta);
    if (element('clips').selectedIndex === 0) {
        shown.root.position.y = 0.08 * shown.length * Math.abs(Math.sin(6 * seconds));
    }
    shown.vrm?.update(delta);
    shown.sinew.update(delta, camera);
    controls.update();
    renderer.render(shown.scene, camera);
});
resize();
