// SPDX-License-Identifier: MIT
// Finds what of a loaded scene corresponds to a model: bones by name and pivot, vertices by place,
// texture coordinates and normal. The order of vertices does not matter, so meshes may have been split, joined or reordered.

import * as THREE from 'three';
import type { Model, Surface } from './runtime.js';

/** A three.js bone (or other object) that carries a bone of the model, and the inverse of its bind transform. */
export interface Joint {
    object: THREE.Object3D;
    /** From the file's space to the joint, at bind. */
    bindInverse: THREE.Matrix4;
}

export interface MatchedMesh {
    mesh: THREE.Mesh;
    /** From the mesh to the file's space, at bind. */
    toFile: THREE.Matrix4;
    /** The vertex of the model's surface for each vertex of the mesh, or -1. */
    vertices: Int32Array;
    matchedCount: number;
}

const pivotDistance = 1e-3; // of the diagonal, between bones with other names
const sameBind = 0.99; // share of vertices that settles how a mesh is bound

function isSkinned(mesh: THREE.Mesh): mesh is THREE.SkinnedMesh {
    return (mesh as THREE.SkinnedMesh).isSkinnedMesh === true;
}

/** The object's transform relative to the root. */
function relativeTo(root: THREE.Object3D, object: THREE.Object3D): THREE.Matrix4 {
    return root.matrixWorld.clone().invert().multiply(object.matrixWorld);
}

/** How the mesh may be bound: by each of its joints as it stands now, or where the mesh itself stands. */
function* binds(root: THREE.Object3D, mesh: THREE.Mesh): Generator<THREE.Matrix4> {
    if (isSkinned(mesh)) {
        for (const [joint, bone] of mesh.skeleton.bones.entries()) {
            yield relativeTo(root, bone).multiply(mesh.skeleton.boneInverses[joint]).multiply(mesh.bindMatrix);
        }
        yield mesh.bindMatrix.clone();
    }
    yield relativeTo(root, mesh);
}

function isNear(a: THREE.Matrix4, b: THREE.Matrix4, length: number): boolean {
    return a.elements.every((value, index) =>
        Math.abs(value - b.elements[index]) <= 1e-5 * (index >= 12 ? length : 1));
}

/** Finds the mesh's vertices in the model. */
export function matchMesh(model: Model, surface: Surface, root: THREE.Object3D, mesh: THREE.Mesh): MatchedMesh {
    const toModel = fileToModel(model);
    const positions = mesh.geometry.getAttribute('position');
    const normals = mesh.geometry.getAttribute('normal');
    const uvs = mesh.geometry.getAttribute('uv');
    const vector = new THREE.Vector3();
    const match = (toFile: THREE.Matrix4, stride: number): { vertices: Int32Array; matched: number } => {
        const whole = toModel.clone().multiply(toFile);
        const turn = new THREE.Matrix3().getNormalMatrix(whole);
        const count = Math.ceil(positions.count / stride);
        const points = new Float32Array(3 * count);
        const directions = normals ? new Float32Array(3 * count) : null;
        const coordinates = uvs ? new Float32Array(2 * count) : null;
        for (let i = 0; i < count; ++i) {
            vector.fromBufferAttribute(positions, i * stride).applyMatrix4(whole).toArray(points, 3 * i);
            if (normals && directions) {
                vector.fromBufferAttribute(normals, i * stride).applyMatrix3(turn).normalize().toArray(directions, 3 * i);
            }
            coordinates?.set([uvs.getX(i * stride), uvs.getY(i * stride)], 2 * i);
        }
        const vertices = model.findVertices(points, directions, coordinates);
        return { vertices, matched: vertices.reduce((sum, vertex) => sum + (vertex >= 0 ? 1 : 0), 0) };
    };
    const stride = Math.max(1, Math.floor(positions.count / 200));
    const sampleCount = Math.ceil(positions.count / stride);
    const tried: THREE.Matrix4[] = [];
    let best = { toFile: new THREE.Matrix4(), matched: -1 };
    for (const toFile of binds(root, mesh)) {
        if (!tried.some((other) => isNear(other, toFile, surface.diagonal / model.scale))) {
            tried.push(toFile);
            const { matched } = match(toFile, stride);
            if (matched > best.matched) {
                best = { toFile, matched };
            }
            if (matched >= sameBind * sampleCount) {
                break;
            }
        }
    }
    const { vertices, matched } = match(best.toFile, 1);
    return { mesh, toFile: best.toFile, vertices, matchedCount: matched };
}

/** From the file's space to model units. */
export function fileToModel(model: Model): THREE.Matrix4 {
    const [x, y, z] = model.origin;
    return new THREE.Matrix4().makeScale(model.scale, model.scale, model.scale)
        .multiply(new THREE.Matrix4().makeTranslation(-x, -y, -z));
}

/** The name in the file; GLTFLoader changes `name` so that it is unique and free of reserved characters. */
function fileName(object: THREE.Object3D): string {
    return typeof object.userData.name === 'string' ? object.userData.name : object.name;
}

/** Finds the object that carries each bone: of the joints with the bone's name the nearest to its pivot; where the file
 *  gives no names, the joint at the pivot. A bone that has none follows its parent, or the root. */
export function matchBones(model: Model, surface: Surface, root: THREE.Object3D, meshes: MatchedMesh[]): Joint[] {
    const toModel = fileToModel(model);
    const joints: (Joint & { pivot: THREE.Vector3 })[] = [];
    const known = new Set<THREE.Object3D>();
    const add = (object: THREE.Object3D, bindInverse: THREE.Matrix4): void => {
        const pivot = new THREE.Vector3().setFromMatrixPosition(bindInverse.clone().invert()).applyMatrix4(toModel);
        joints.push({ object, bindInverse, pivot });
        known.add(object);
    };
    for (const { mesh, toFile, matchedCount } of meshes) {
        if (isSkinned(mesh) && matchedCount > 0) {
            const toSkin = mesh.bindMatrix.clone().multiply(toFile.clone().invert());
            mesh.skeleton.bones.forEach((bone, joint) => {
                add(bone, mesh.skeleton.boneInverses[joint].clone().multiply(toSkin));
            });
        }
    }
    root.traverse((object) => {
        if (!known.has(object)) {
            add(object, relativeTo(root, object).invert());
        }
    });
    const used = new Set<THREE.Object3D>();
    const result: Joint[] = [];
    for (let bone = 0; bone < model.boneCount; ++bone) {
        const name = model.boneName(bone);
        const pivot = new THREE.Vector3(...model.bonePivot(bone));
        const named = joints.filter(({ object }) => fileName(object) === name);
        const candidates = named.length > 0 ? named : joints.filter((joint) =>
            !used.has(joint.object) && joint.pivot.distanceTo(pivot) <= pivotDistance * surface.diagonal);
        const parent = model.boneParent(bone);
        let best: Joint | undefined = candidates.reduce<(typeof joints)[number] | undefined>((nearest, joint) =>
            !nearest || joint.pivot.distanceTo(pivot) < nearest.pivot.distanceTo(pivot) ? joint : nearest, undefined);
        best ??= parent >= 0 && parent < bone ? result[parent] : { object: root, bindInverse: new THREE.Matrix4() };
        used.add(best.object);
        result.push(best);
    }
    return result;
}

/** For each morph target of the model the meshes and indices that it moves, or null. */
export function matchMorphs(model: Model, meshes: MatchedMesh[]): ({ mesh: THREE.Mesh; index: number } | null)[] {
    const found = new Map<string, { mesh: THREE.Mesh; index: number }[]>();
    for (const { mesh, matchedCount } of meshes) {
        for (const [name, index] of Object.entries(matchedCount > 0 ? mesh.morphTargetDictionary ?? {} : {})) {
            const list = found.get(name) ?? [];
            // The primitives of one mesh have the same targets and the same parent.
            if (!list.some((other) => other.mesh.parent === mesh.parent && other.index === index)) {
                found.set(name, [...list, { mesh, index }]);
            }
        }
    }
    const used = new Map<string, number>();
    return Array.from({ length: model.morphCount }, (_, morph) => {
        const name = model.morphName(morph);
        const turn = used.get(name) ?? 0;
        used.set(name, turn + 1);
        const list = found.get(name) ?? [];
        return list[Math.min(turn, list.length - 1)] ?? null;
    });
}
