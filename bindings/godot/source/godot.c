/* SPDX-License-Identifier: MIT */
/* The entry of the extension, and classes from tables. */
#include "bindings/godot/source/godot.h"

#include <string.h>

#include "sinew/sinew.h"

godot_functions godot;
GDExtensionClassLibraryPtr godot_library;

godot_name make_name(const char *text)
{
    godot_name name;
    godot.string_name_new_with_latin1_chars(&name, text, true);
    return name;
}

/* ---- packed arrays ---- */

#define METHOD_SIZE 3173160232 /* hashes of Godot's extension API */
#define METHOD_RESIZE 848867239

int64_t packed_size(GDExtensionVariantType type, const packed_array *array)
{
    static GDExtensionPtrBuiltInMethod methods[GDEXTENSION_VARIANT_TYPE_VARIANT_MAX];
    int64_t size = 0;
    if (!methods[type]) {
        const godot_name name = make_name("size");
        methods[type] = godot.variant_get_ptr_builtin_method(type, &name, METHOD_SIZE);
    }
    methods[type]((void *)array, NULL, &size, 0);
    return size;
}

const void *packed_elements(GDExtensionVariantType type, const packed_array *array)
{
    if (packed_size(type, array) == 0) {
        return NULL;
    }
    switch (type) {
    case TYPE(PACKED_BYTE_ARRAY):
        return godot.packed_byte_array_operator_index_const(array, 0);
    case TYPE(PACKED_INT32_ARRAY):
        return godot.packed_int32_array_operator_index_const(array, 0);
    case TYPE(PACKED_FLOAT32_ARRAY):
        return godot.packed_float32_array_operator_index_const(array, 0);
    case TYPE(PACKED_VECTOR2_ARRAY):
        return godot.packed_vector2_array_operator_index_const(array, 0);
    case TYPE(PACKED_VECTOR3_ARRAY):
        return godot.packed_vector3_array_operator_index_const(array, 0);
    default:
        return NULL;
    }
}

void *packed_resize(GDExtensionVariantType type, packed_array *array, int64_t size)
{
    static GDExtensionPtrBuiltInMethod methods[GDEXTENSION_VARIANT_TYPE_VARIANT_MAX];
    const GDExtensionConstTypePtr arguments[1] = {&size};
    int64_t error = 0;
    if (!methods[type]) {
        const godot_name name = make_name("resize");
        methods[type] = godot.variant_get_ptr_builtin_method(type, &name, METHOD_RESIZE);
    }
    methods[type](array, arguments, &error, 1);
    if (size == 0 || packed_size(type, array) != size) {
        return NULL;
    }
    switch (type) {
    case TYPE(PACKED_BYTE_ARRAY):
        return godot.packed_byte_array_operator_index(array, 0);
    case TYPE(PACKED_INT32_ARRAY):
        return godot.packed_int32_array_operator_index(array, 0);
    case TYPE(PACKED_VECTOR3_ARRAY):
        return godot.packed_vector3_array_operator_index(array, 0);
    case TYPE(PACKED_VECTOR4_ARRAY):
        return godot.packed_vector4_array_operator_index(array, 0);
    default:
        return NULL;
    }
}

void set_string(void *result, const char *text)
{
    const GDExtensionPtrDestructor destroy = godot.variant_get_ptr_destructor(TYPE(STRING));
    destroy(result);
    godot.string_new_with_utf8_chars_and_len(result, text ? text : "", text ? (GDExtensionInt)strlen(text) : 0);
}

/* ---- classes ---- */

static int binding_token; /* its address identifies this extension */
static const GDExtensionInstanceBindingCallbacks no_callbacks;

void *instance_of(const void *argument)
{
    GDExtensionObjectPtr const object = *(GDExtensionObjectPtr const *)argument;
    return object ? godot.object_get_instance_binding(object, &binding_token, &no_callbacks) : NULL;
}

static GDExtensionObjectPtr create_instance(void *class_data, GDExtensionBool notify)
{
    (void)notify;
    const godot_class *class = class_data;
    const godot_name name = make_name(class->name), parent = make_name(class->parent);
    void *const instance = class->create();
    GDExtensionObjectPtr const object = instance ? godot.classdb_construct_object2(&parent) : NULL;
    if (object) {
        godot.object_set_instance(object, &name, instance);
        godot.object_set_instance_binding(object, &binding_token, instance, &no_callbacks);
    } else if (instance) {
        class->destroy(instance);
    }
    return object;
}

static void free_instance(void *class_data, GDExtensionClassInstancePtr instance)
{
    const godot_class *class = class_data;
    class->destroy(instance);
}

typedef union value {
    double alignment;
    unsigned char bytes[64];
} value;

static void destroy_value(GDExtensionVariantType type, value *v)
{
    const GDExtensionPtrDestructor destroy = godot.variant_get_ptr_destructor(type);
    if (destroy) { /* null for types without memory */
        destroy(v);
    }
}

static void ptrcall_method(void *method_data, GDExtensionClassInstancePtr instance,
                           const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr result)
{
    const godot_method *method = method_data;
    method->function(instance, arguments, result);
}

static void call_method(void *method_data, GDExtensionClassInstancePtr instance,
                        const GDExtensionConstVariantPtr *arguments, GDExtensionInt count, GDExtensionVariantPtr result,
                        GDExtensionCallError *error)
{
    const godot_method *method = method_data;
    value values[ARGUMENT_LIMIT], returned;
    const void *pointers[ARGUMENT_LIMIT];
    if (count != method->argument_count) {
        error->error = count < method->argument_count ? GDEXTENSION_CALL_ERROR_TOO_FEW_ARGUMENTS
                                                      : GDEXTENSION_CALL_ERROR_TOO_MANY_ARGUMENTS;
        error->expected = method->argument_count;
        return;
    }
    for (int i = 0; i < method->argument_count; ++i) {
        godot.get_variant_to_type_constructor(method->arguments[i].type)(&values[i],
                                                                         (GDExtensionVariantPtr)arguments[i]);
        pointers[i] = &values[i];
    }
    if (method->result != TYPE(NIL)) {
        godot.variant_get_ptr_constructor(method->result, 0)(&returned, NULL);
    }
    method->function(instance, pointers, &returned);
    if (method->result != TYPE(NIL)) {
        godot.get_variant_from_type_constructor(method->result)(result, &returned);
        destroy_value(method->result, &returned);
    }
    for (int i = 0; i < method->argument_count; ++i) {
        destroy_value(method->arguments[i].type, &values[i]);
    }
    error->error = GDEXTENSION_CALL_OK;
}

static void register_method(const godot_class *class, const godot_method *method)
{
    const godot_name class_name = make_name(class->name);
    godot_name name = make_name(method->name), no_name = make_name(""), names[ARGUMENT_LIMIT], classes[ARGUMENT_LIMIT];
    packed_array no_text = {{NULL, NULL}}; /* an empty String */
    GDExtensionPropertyInfo arguments[ARGUMENT_LIMIT];
    GDExtensionClassMethodArgumentMetadata metadata[ARGUMENT_LIMIT] = {0};
    GDExtensionPropertyInfo result = {
        .type = method->result, .name = &no_name, .class_name = &no_name, .hint_string = &no_text, .usage = 6};
    for (int i = 0; i < method->argument_count; ++i) {
        names[i] = make_name(method->arguments[i].name);
        classes[i] = make_name(method->arguments[i].class_name ? method->arguments[i].class_name : "");
        arguments[i] = result;
        arguments[i].type = method->arguments[i].type;
        arguments[i].name = &names[i];
        arguments[i].class_name = &classes[i];
    }
    const GDExtensionClassMethodInfo info = {
        .name = &name,
        .method_userdata = (void *)method,
        .call_func = call_method,
        .ptrcall_func = ptrcall_method,
        .method_flags =
            GDEXTENSION_METHOD_FLAG_NORMAL | (method->is_static ? (uint32_t)GDEXTENSION_METHOD_FLAG_STATIC : 0),
        .has_return_value = method->result != TYPE(NIL),
        .return_value_info = &result,
        .argument_count = (uint32_t)method->argument_count,
        .arguments_info = arguments,
        .arguments_metadata = metadata,
    };
    godot.classdb_register_extension_class_method(godot_library, &class_name, &info);
}

void register_class(const godot_class *class)
{
    const godot_name name = make_name(class->name), parent = make_name(class->parent);
    const GDExtensionClassCreationInfo4 info = {
        .is_exposed = true,
        .create_instance_func = create_instance,
        .free_instance_func = free_instance,
        .class_userdata = (void *)class,
    };
    godot.classdb_register_extension_class4(godot_library, &name, &parent, &info);
    for (int i = 0; i < class->method_count; ++i) {
        register_method(class, &class->methods[i]);
    }
}

/* ---- entry ---- */

static void receive_log(sn_log_level level, const char *message, void *user)
{
    (void)user;
    if (level == SN_LOG_ERROR) {
        godot.print_error_with_message("sinew", message, "", "", 0, true);
    } else {
        godot.print_warning_with_message("sinew", message, "", "", 0, true);
    }
}

static const godot_class *const classes[] = {&model_class, &body_class};

static void initialize(void *user, GDExtensionInitializationLevel level)
{
    (void)user;
    if (level == GDEXTENSION_INITIALIZATION_SCENE) {
        sn_set_log(receive_log, NULL);
        for (int i = 0; i < COUNT_OF(classes); ++i) {
            register_class(classes[i]);
        }
    }
}

static void deinitialize(void *user, GDExtensionInitializationLevel level)
{
    (void)user;
    if (level == GDEXTENSION_INITIALIZATION_SCENE) {
        end_world();
        for (int i = COUNT_OF(classes) - 1; i >= 0; --i) {
            const godot_name name = make_name(classes[i]->name);
            godot.classdb_unregister_extension_class(godot_library, &name);
        }
    }
}

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

EXPORT GDExtensionBool sinew_godot_start(GDExtensionInterfaceGetProcAddress get, GDExtensionClassLibraryPtr library,
                                         GDExtensionInitialization *initialization)
{
    godot_library = library;
#define FIND(name)                                                                                                     \
    {                                                                                                                  \
        const GDExtensionInterfaceFunctionPtr function = get(#name);                                                   \
        if (!function) {                                                                                               \
            return false;                                                                                              \
        }                                                                                                              \
        memcpy(&godot.name, &function, sizeof function);                                                               \
    }
    FIND(print_error_with_message)
    FIND(print_warning_with_message)
    FIND(string_name_new_with_latin1_chars)
    FIND(string_new_with_utf8_chars_and_len)
    FIND(get_variant_from_type_constructor)
    FIND(get_variant_to_type_constructor)
    FIND(variant_get_ptr_constructor)
    FIND(variant_get_ptr_destructor)
    FIND(variant_get_ptr_builtin_method)
    FIND(packed_byte_array_operator_index)
    FIND(packed_byte_array_operator_index_const)
    FIND(packed_int32_array_operator_index)
    FIND(packed_int32_array_operator_index_const)
    FIND(packed_float32_array_operator_index_const)
    FIND(packed_vector2_array_operator_index_const)
    FIND(packed_vector3_array_operator_index)
    FIND(packed_vector3_array_operator_index_const)
    FIND(packed_vector4_array_operator_index)
    FIND(classdb_construct_object2)
    FIND(classdb_get_method_bind)
    FIND(classdb_register_extension_class4)
    FIND(classdb_register_extension_class_method)
    FIND(classdb_unregister_extension_class)
    FIND(object_method_bind_ptrcall)
    FIND(object_set_instance)
    FIND(object_set_instance_binding)
    FIND(object_get_instance_binding)
#undef FIND
    *initialization = (GDExtensionInitialization){.minimum_initialization_level = GDEXTENSION_INITIALIZATION_SCENE,
                                                  .initialize = initialize,
                                                  .deinitialize = deinitialize};
    return true;
}
