/* SPDX-License-Identifier: MIT */
/* Finds the textures of materials. This process cannot open files any more (sandbox.c), but can test whether they
 * exist. The reader of its output loads them. */
#include "tools/read_fbx/pictures.h"

#include <assimp/texture.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_BYTES 4096

static bool has_file(const fbx_reader *r, const char *relative)
{
    char path[PATH_BYTES];
    struct stat status;
    const char *slash = strrchr(r->path, '/');
    const int size = snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - r->path) + 1 : 0, r->path, relative);
    return size > 0 && (size_t)size < sizeof path && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Whether a path is relative and has no ".." parts. */
static bool is_below(const char *path)
{
    for (const char *part = path; *part;) {
        const size_t size = strcspn(part, "/");
        if (size == 2 && memcmp(part, "..", 2) == 0) {
            return false;
        }
        part += size + (part[size] == '/');
    }
    return path[0] && path[0] != '/' && !strchr(path, ':');
}

/* Chooses the path of a texture, relative to the FBX file's folder. */
static void choose_file(const fbx_reader *r, const char *file_path, char *relative_path, size_t size)
{
    char path[MAXLEN];
    snprintf(path, sizeof path, "%s", file_path);
    for (char *c = path; *c; ++c) {
        *c = *c == '\\' ? '/' : *c;
    }
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    const char *own = strrchr(r->path, '/') ? strrchr(r->path, '/') + 1 : r->path;
    const int stem = (int)(strrchr(own, '.') ? (size_t)(strrchr(own, '.') - own) : strlen(own));
    if (is_below(path) && has_file(r, path)) {
        snprintf(relative_path, size, "%s", path);
        return;
    }
    snprintf(relative_path, size, "%.*s.fbm/%s", stem, own, last);
    if (has_file(r, relative_path)) {
        return;
    }
    snprintf(relative_path, size, "textures/%s", last);
    if (!has_file(r, relative_path) || has_file(r, last)) {
        snprintf(relative_path, size, "%s", last);
    }
}

static const char *escape(fbx_reader *r, const char *path)
{
    static const char unreserved[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    char *uri = SN_NEW(&r->arena, char, 3 * strlen(path) + 1);
    for (char *out = uri; uri && *path; ++path) {
        out += snprintf(out, 4, strchr(unreserved, *path) ? "%c" : "%%%02X", (unsigned char)*path);
    }
    return uri;
}

static const char *last_part(const char *path)
{
    const char *last = path;
    for (; *path; ++path) {
        last = *path == '/' || *path == '\\' ? path + 1 : last;
    }
    return last;
}

/* Finds an embedded texture by "*3" or a path; only the last part of a path is compared, since exporters write
 * different folders. */
static const struct aiTexture *find_embedded(const fbx_reader *r, const char *path)
{
    if (path[0] == '*') {
        const unsigned long index = strtoul(path + 1, NULL, 10);
        return index < r->from->mNumTextures ? r->from->mTextures[index] : NULL;
    }
    for (unsigned i = 0; i < r->from->mNumTextures; ++i) {
        if (strcmp(last_part(r->from->mTextures[i]->mFilename.data), last_part(path)) == 0) {
            return r->from->mTextures[i];
        }
    }
    return NULL;
}

sn_result fbx_picture_find(fbx_reader *r, const struct aiString *path, sn_gltf_picture *picture, bool *file_exists)
{
    *file_exists = true;
    const struct aiTexture *embedded = find_embedded(r, path->data);
    if (embedded && embedded->mHeight == 0 && embedded->mWidth > 0) { /* the encoded bytes of an image file */
        *picture = (sn_gltf_picture){.bytes = (const uint8_t *)embedded->pcData, .size = embedded->mWidth};
        return SN_OK;
    }
    char relative_path[PATH_BYTES];
    choose_file(r, path->data, relative_path, sizeof relative_path);
    *file_exists = has_file(r, relative_path);
    const char *uri = escape(r, relative_path);
    *picture = (sn_gltf_picture){.uri = uri};
    for (int i = 0; uri && i < r->scene.texture_count; ++i) {
        if (r->pictures[i].uri && strcmp(r->pictures[i].uri, uri) == 0) {
            picture->uri = r->pictures[i].uri;
        }
    }
    return uri ? SN_OK : SN_ERROR_MEMORY;
}
