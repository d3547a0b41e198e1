/* SPDX-License-Identifier: MIT */
#include "author/io/tets/tet_file.h"

bool sn_is_tet_file(const char *path)
{
    return sn_has_extension(path, ".msh") || sn_has_extension(path, ".mesh");
}

sn_result sn_tet_file_read_with_groups(const char *path, sn_arena *arena, sn_tet_mesh *mesh, sn_tet_groups *groups)
{
    if (!sn_is_tet_file(path)) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: the file extension is not that of a tet mesh (.msh, .mesh)", path);
    }
    sn_source source;
    const sn_result result = sn_source_read(path, arena, &source);
    if (result != SN_OK) {
        return result;
    }
    return sn_has_extension(path, ".msh") ? sn_msh_read_with_groups(&source, arena, mesh, groups)
                                          : sn_medit_read(&source, arena, mesh);
}

sn_result sn_tet_file_read(const char *path, sn_arena *arena, sn_tet_mesh *mesh)
{
    return sn_tet_file_read_with_groups(path, arena, mesh, NULL);
}
