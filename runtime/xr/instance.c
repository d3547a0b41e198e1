/* SPDX-License-Identifier: MIT */
/* The OpenXR loader (opened at run time), the instance and the headset. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compute/core/open.h"
#include "runtime/xr/private.h"

#define LOADER "libopenxr_loader.so.1"
#define EXTENSION_LIMIT 128

sn_result sn_xr_fail(const sn_xr *xr, XrResult code, const char *what)
{
    const sn_result result = code == XR_ERROR_OUT_OF_MEMORY ? SN_ERROR_MEMORY : SN_ERROR_UNSUPPORTED;
    char name[XR_MAX_RESULT_STRING_SIZE] = "";
    if (code == XR_ERROR_SESSION_LOST || code == XR_ERROR_INSTANCE_LOST) {
        return sn_fail(result, "xr: the OpenXR session ended or the headset was lost (%s)", what);
    }
    if (!xr->instance || XR_FAILED(xr->call.xrResultToString(xr->instance, code, name))) {
        snprintf(name, sizeof name, "code %d", code);
    }
    return sn_fail(result, "xr: %s: %s", what, name);
}

static sn_result load_loader(sn_xr *xr)
{
    /* silence the loader's own messages; errors are reported here */
    setenv("XR_LOADER_DEBUG", "none", 0);
    xr->library = dlopen(LOADER, RTLD_NOW | RTLD_LOCAL);
    if (!xr->library) {
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "xr: no OpenXR loader (" LOADER "); install the package libopenxr-loader1");
    }
    void *symbol = dlsym(xr->library, "xrGetInstanceProcAddr");
    memcpy(&xr->get, &symbol, sizeof xr->get); /* ISO C does not allow a cast from an object to a function pointer */
    return symbol ? SN_OK : sn_fail(SN_ERROR_UNSUPPORTED, "xr: " LOADER ": xrGetInstanceProcAddr is missing");
}

/* Finds a function that needs no instance. */
static bool get_function(const sn_xr *xr, const char *name, PFN_xrVoidFunction *function)
{
    return XR_SUCCEEDED(xr->get(XR_NULL_HANDLE, name, function)) && *function;
}

static sn_result fail_no_runtime(void)
{
    return sn_fail(SN_ERROR_UNSUPPORTED, "xr: no OpenXR runtime; start the headset's (Monado, SteamVR), or set "
                                         "XR_RUNTIME_JSON to its manifest");
}

/* Without an instance, error codes cannot be converted to names. */
static sn_result check_extension(const sn_xr *xr)
{
    PFN_xrVoidFunction function;
    XrExtensionProperties properties[EXTENSION_LIMIT];
    uint32_t count = 0;
    if (!get_function(xr, "xrEnumerateInstanceExtensionProperties", &function)) {
        return fail_no_runtime();
    }
    for (int i = 0; i < EXTENSION_LIMIT; ++i) {
        properties[i] = (XrExtensionProperties){.type = XR_TYPE_EXTENSION_PROPERTIES};
    }
    const PFN_xrEnumerateInstanceExtensionProperties enumerate = (PFN_xrEnumerateInstanceExtensionProperties)function;
    const XrResult code = enumerate(NULL, EXTENSION_LIMIT, &count, properties);
    if (XR_FAILED(code)) {
        return code == XR_ERROR_SIZE_INSUFFICIENT
                   ? sn_fail(SN_ERROR_UNSUPPORTED, "xr: the runtime has more than %d extensions", EXTENSION_LIMIT)
                   : fail_no_runtime();
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (strcmp(properties[i].extensionName, XR_KHR_VULKAN_ENABLE2_EXTENSION_NAME) == 0) {
            return SN_OK;
        }
    }
    return sn_fail(SN_ERROR_UNSUPPORTED, "xr: the OpenXR runtime does not have " XR_KHR_VULKAN_ENABLE2_EXTENSION_NAME);
}

static sn_result find_functions(sn_xr *xr)
{
    PFN_xrVoidFunction function;
    const char *absent = NULL;
#define SN_XR_FIND(function_name)                                                                                      \
    if (XR_SUCCEEDED(xr->get(xr->instance, #function_name, &function)) && function) {                                  \
        xr->call.function_name = (PFN_##function_name)function;                                                        \
    } else {                                                                                                           \
        absent = #function_name;                                                                                       \
    }
    SN_XR_FUNCTIONS(SN_XR_FIND)
#undef SN_XR_FIND
    return absent ? sn_fail(SN_ERROR_UNSUPPORTED, "xr: the OpenXR runtime does not have %s", absent) : SN_OK;
}

static sn_result create_instance(sn_xr *xr)
{
    static const char *const extensions[] = {XR_KHR_VULKAN_ENABLE2_EXTENSION_NAME};
    const XrInstanceCreateInfo info = {
        .type = XR_TYPE_INSTANCE_CREATE_INFO,
        .applicationInfo = {.applicationName = "sinew", .engineName = "sinew", .apiVersion = XR_MAKE_VERSION(1, 0, 0)},
        .enabledExtensionCount = 1,
        .enabledExtensionNames = extensions};
    PFN_xrVoidFunction function;
    if (!get_function(xr, "xrCreateInstance", &function)) {
        return fail_no_runtime();
    }
    const XrResult code = ((PFN_xrCreateInstance)function)(&info, &xr->instance);
    if (XR_FAILED(code)) {
        xr->instance = XR_NULL_HANDLE;
        return code == XR_ERROR_RUNTIME_UNAVAILABLE || code == XR_ERROR_RUNTIME_FAILURE
                   ? fail_no_runtime()
                   : sn_xr_fail(xr, code, "xrCreateInstance");
    }
    return find_functions(xr);
}

static sn_result get_system(sn_xr *xr)
{
    const XrSystemGetInfo info = {.type = XR_TYPE_SYSTEM_GET_INFO, .formFactor = XR_FORM_FACTOR_HEAD_MOUNTED_DISPLAY};
    const XrResult code = xr->call.xrGetSystem(xr->instance, &info, &xr->system);
    if (code == XR_ERROR_FORM_FACTOR_UNAVAILABLE || code == XR_ERROR_FORM_FACTOR_UNSUPPORTED) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "xr: no headset; connect it and put it on");
    }
    if (XR_FAILED(code)) {
        return sn_xr_fail(xr, code, "xrGetSystem");
    }
    return SN_OK;
}

sn_result sn_xr_open(sn_xr **result_xr)
{
    sn_xr *xr = sn_alloc(1, sizeof *xr);
    *result_xr = xr;
    if (!xr) {
        return SN_ERROR_MEMORY;
    }
    sn_result result = load_loader(xr);
    result = result ? result : check_extension(xr);
    result = result ? result : create_instance(xr);
    result = result ? result : get_system(xr);
    if (result) {
        sn_xr_close(result_xr);
        return result;
    }
    sn_xr_set_maker(xr);
    return SN_OK;
}

void sn_xr_close(sn_xr **result_xr)
{
    sn_xr *xr = *result_xr;
    *result_xr = NULL;
    if (!xr) {
        return;
    }
    if (xr->instance && xr->call.xrDestroyInstance) {
        xr->call.xrDestroyInstance(xr->instance);
    }
    if (xr->library) {
        dlclose(xr->library);
    }
    sn_free(xr, 1, sizeof *xr);
}

const sn_gpu_device_factory *sn_xr_gpu_device_factory(const sn_xr *xr)
{
    return &xr->factory;
}
