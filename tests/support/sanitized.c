/* SPDX-License-Identifier: MIT */
/* For builds with the address sanitizer: software Vulkan, the validation layer and OpenXR's loader leak some memory of
 * their own, and are unloaded before leaks are looked for, which hides whose they are. So they stay loaded, and their
 * leaks, by their names, do not count. */
#include <dlfcn.h>

/* Visible, for a shared sanitizer to find. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
__attribute__((visibility("default"))) const char *__lsan_default_options(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:libvulkan_lvp\nleak:libVkLayer_khronos_validation\nleak:libopenxr_loader\n";
}

/* Tests look at what a program says on stderr. */
const char *__lsan_default_options(void)
{
    return "print_suppressions=0";
}

__attribute__((constructor)) static void keep_libraries(void)
{
    dlopen("libvulkan_lvp.so", RTLD_NOW | RTLD_NODELETE); /* not there: nothing to keep */
    dlopen("libVkLayer_khronos_validation.so", RTLD_NOW | RTLD_NODELETE);
    dlopen("libopenxr_loader.so.1", RTLD_NOW | RTLD_NODELETE);
}
