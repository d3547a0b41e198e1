/* SPDX-License-Identifier: MIT */
/* The functions of Godot that the extension calls, and tables from which classes are registered. Values are as in
 * Godot's ptrcalls for single precision: bool 1 byte, int int64_t, float double, Vector3 3 floats, Transform3D the rows
 * of its basis and then its origin, packed arrays 16 bytes. */
#ifndef SINEW_GODOT_H
#define SINEW_GODOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gdextension_interface.h> /* godot --dump-gdextension-interface */

typedef struct godot_functions {
    GDExtensionInterfacePrintErrorWithMessage print_error_with_message;
    GDExtensionInterfacePrintWarningWithMessage print_warning_with_message;
    GDExtensionInterfaceStringNameNewWithLatin1Chars string_name_new_with_latin1_chars;
    GDExtensionInterfaceStringNewWithUtf8CharsAndLen string_new_with_utf8_chars_and_len;
    GDExtensionInterfaceGetVariantFromTypeConstructor get_variant_from_type_constructor;
    GDExtensionInterfaceGetVariantToTypeConstructor get_variant_to_type_constructor;
    GDExtensionInterfaceVariantGetPtrConstructor variant_get_ptr_constructor;
    GDExtensionInterfaceVariantGetPtrDestructor variant_get_ptr_destructor;
    GDExtensionInterfaceVariantGetPtrBuiltinMethod variant_get_ptr_builtin_method;
    GDExtensionInterfacePackedByteArrayOperatorIndex packed_byte_array_operator_index;
    GDExtensionInterfacePackedByteArrayOperatorIndexConst packed_byte_array_operator_index_const;
    GDExtensionInterfacePackedInt32ArrayOperatorIndex packed_int32_array_operator_index;
    GDExtensionInterfacePackedInt32ArrayOperatorIndexConst packed_int32_array_operator_index_const;
    GDExtensionInterfacePackedFloat32ArrayOperatorIndexConst packed_float32_array_operator_index_const;
    GDExtensionInterfacePackedVector2ArrayOperatorIndexConst packed_vector2_array_operator_index_const;
    GDExtensionInterfacePackedVector3ArrayOperatorIndex packed_vector3_array_operator_index;
    GDExtensionInterfacePackedVector3ArrayOperatorIndexConst packed_vector3_array_operator_index_const;
    GDExtensionInterfacePackedVector4ArrayOperatorIndex packed_vector4_array_operator_index;
    GDExtensionInterfaceClassdbConstructObject2 classdb_construct_object2;
    GDExtensionInterfaceClassdbGetMethodBind classdb_get_method_bind;
    GDExtensionInterfaceClassdbRegisterExtensionClass4 classdb_register_extension_class4;
    GDExtensionInterfaceClassdbRegisterExtensionClassMethod classdb_register_extension_class_method;
    GDExtensionInterfaceClassdbUnregisterExtensionClass classdb_unregister_extension_class;
    GDExtensionInterfaceObjectMethodBindPtrcall object_method_bind_ptrcall;
    GDExtensionInterfaceObjectSetInstance object_set_instance;
    GDExtensionInterfaceObjectSetInstanceBinding object_set_instance_binding;
    GDExtensionInterfaceObjectGetInstanceBinding object_get_instance_binding;
} godot_functions;

extern godot_functions godot;
extern GDExtensionClassLibraryPtr godot_library;

typedef struct godot_name {
    void *opaque;
} godot_name; /* a StringName */

godot_name make_name(const char *text); /* text must be static */

/* A packed array, read or written in place. */
typedef struct packed_array {
    void *opaque[2];
} packed_array;

int64_t packed_size(GDExtensionVariantType type, const packed_array *array);
/* Returns the elements of an array of bytes, integers, floats or vectors of 2 or 3 entries; null if it is empty. */
const void *packed_elements(GDExtensionVariantType type, const packed_array *array);
/* Returns the elements of an array of bytes, integers or vectors of 3 or 4 entries that now has this size; null if that
 * is 0 or memory is out. */
void *packed_resize(GDExtensionVariantType type, packed_array *array, int64_t size);
void set_string(void *result, const char *text);

#define ARGUMENT_LIMIT 8

typedef struct godot_argument {
    const char *name;
    GDExtensionVariantType type;
    const char *class_name; /* of an object */
} godot_argument;

/* self: of create_instance; null for static methods. Arguments and result as in a ptrcall. */
typedef void godot_method_function(void *self, const void *const *arguments, void *result);

typedef struct godot_method {
    const char *name;
    godot_method_function *function;
    GDExtensionVariantType result; /* NIL: none */
    bool is_static;
    int argument_count;
    godot_argument arguments[ARGUMENT_LIMIT];
} godot_method;

typedef struct godot_class {
    const char *name, *parent;
    void *(*create)(void);
    void (*destroy)(void *self);
    const godot_method *methods;
    int method_count;
} godot_class;

void register_class(const godot_class *class);
/* The instance that `create` of one of our classes returned, of an Object * argument, or null. */
void *instance_of(const void *argument);

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))
#define TYPE(name) GDEXTENSION_VARIANT_TYPE_##name

extern const godot_class model_class, body_class;
void end_world(void);

#endif
