#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the C declarations of libsinew as C# (class Sinew.Native and its structs), from the headers in include/sinew.

  bindings/csharp/generate.py FOLDER    the folder of the headers

Structs are blittable: bool is CBool, arrays are fixed, pointers to structs that C hides are IntPtr. Needs pycparser."""

import pathlib
import re
import sys

from pycparser import c_ast, c_parser

HEADERS = ("types", "model", "world", "surface")
BASIC = {"int8_t": "sbyte", "uint8_t": "byte", "int16_t": "short", "uint16_t": "ushort", "int32_t": "int", "uint32_t": "uint",
         "int64_t": "long", "uint64_t": "ulong", "size_t": "UIntPtr", "bool": "CBool", "int": "int", "unsigned": "uint",
         "unsigned int": "uint", "float": "float", "double": "double", "char": "byte", "void": "void"}
KEYWORDS = {"params", "object", "string", "ref", "out", "in", "event", "base", "checked", "lock", "fixed", "is", "internal"}


def read_headers(folder):
    text = "\n".join((folder / f"{name}.h").read_text() for name in HEADERS)
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"#if(def __cplusplus| defined\(_WIN32\)).*?#endif", "", text, flags=re.S)
    constants = dict(re.findall(r"^#define (SN_\w+) \(?(\d+)\)?$", text, flags=re.M))
    text = re.sub(r"^\s*#.*$", "", text, flags=re.M).replace("SN_API ", "")
    for name, value in constants.items():
        text = re.sub(rf"\b{name}\b", value, text)
    types = "".join(f"typedef int {name};\n" for name in BASIC if name.endswith("_t") or name == "bool")
    return types + text, constants


def constant(node):
    """The value of an expression of enumerators, such as A | B."""
    if isinstance(node, c_ast.Constant):
        return node.value
    if isinstance(node, c_ast.ID):
        return node.name
    if isinstance(node, c_ast.BinaryOp):
        return f"{constant(node.left)} {node.op} {constant(node.right)}"
    if isinstance(node, c_ast.UnaryOp):
        return f"{node.op}{constant(node.expr)}"
    raise ValueError(f"unexpected constant {node}")


class Generator:
    def __init__(self, tree):
        self.structs, self.enums, self.functions, self.callbacks, self.anonymous = {}, {}, {}, set(), []
        self.counts = {}  # of enumerators without a value, by their place
        for node in tree.ext:
            declared = node.type
            if isinstance(node, c_ast.Typedef) and isinstance(declared, c_ast.FuncDecl):
                self.callbacks.add(node.name)
            elif isinstance(node, c_ast.Typedef) and isinstance(declared, c_ast.TypeDecl):
                if isinstance(declared.type, c_ast.Struct) and declared.type.decls:
                    self.structs[node.name] = declared.type.decls
                elif isinstance(declared.type, c_ast.Enum):
                    self.enums[node.name] = declared.type.values.enumerators
                    self.counts.update({e.name: place for place, e in enumerate(declared.type.values.enumerators)})
            elif isinstance(node, c_ast.Decl) and isinstance(declared, c_ast.FuncDecl):
                self.functions[node.name] = declared
            elif isinstance(node, c_ast.Decl) and isinstance(declared, c_ast.Enum):
                self.anonymous.extend(declared.values.enumerators)

    def name_of(self, declaration):
        return " ".join(declaration.type.names) if isinstance(declaration.type, c_ast.IdentifierType) else declaration.type.name

    def type_of(self, node):
        """The C# type of a declaration without arrays."""
        if isinstance(node, (c_ast.PtrDecl, c_ast.ArrayDecl)):
            inner = node.type
            if isinstance(inner, c_ast.FuncDecl):
                return "IntPtr"
            inner_type = self.type_of(inner)
            return "IntPtr" if inner_type is None else inner_type + "*"
        name = self.name_of(node)
        if name in BASIC:
            return BASIC[name]
        if name in self.structs or name in self.enums:
            return name
        return None  # hidden, or a callback: only pointers to it occur

    def field(self, declaration):
        node, count = declaration.type, 1
        is_array = isinstance(node, c_ast.ArrayDecl)
        while isinstance(node, c_ast.ArrayDecl):
            dimension = constant(node.dim)
            count *= int(dimension) if dimension.isdigit() else self.counts[dimension]
            node = node.type
        field_type = self.type_of(node)
        name = self.identifier(declaration.name)
        return f"public fixed {field_type} {name}[{count}];" if is_array else f"public {field_type} {name};"

    @staticmethod
    def identifier(name):
        return "@" + name if name in KEYWORDS else name

    def enumerators(self, values):
        for value in values:
            yield f"{value.name} = {constant(value.value)}" if value.value else value.name

    def function(self, name, declared):
        parameters = []
        for parameter in declared.args.params if declared.args else []:
            parameter_type = self.type_of(parameter.type)
            if parameter_type == "void":
                continue
            parameters.append(f"{parameter_type} {self.identifier(parameter.name)}")
        result = self.type_of(declared.type)
        return f"public static extern {result} {name}({', '.join(parameters)});"


def main():
    text, constants = read_headers(pathlib.Path(sys.argv[1]))
    g = Generator(c_parser.CParser().parse(text))
    out = ["// Made by bindings/csharp/generate.py from the headers of libsinew, which document everything here.",
           "// SPDX-License-Identifier: MIT", "using System;", "using System.Runtime.InteropServices;", "",
           "namespace Sinew.Native", "{", "    /// <summary>A bool of C: one byte.</summary>", "    public struct CBool", "    {",
           "        byte value;", "        public static implicit operator bool(CBool b) => b.value != 0;",
           "        public static implicit operator CBool(bool b) => new CBool { value = (byte)(b ? 1 : 0) };", "    }", ""]
    for name, values in g.enums.items():
        out += [f"    public enum {name}", "    {", *[f"        {v}," for v in g.enumerators(values)], "    }", ""]
    for name, fields in g.structs.items():
        out += ["    [StructLayout(LayoutKind.Sequential)]", f"    public unsafe struct {name}", "    {",
                *[f"        {g.field(f)}" for f in fields], "    }", ""]
    out += ["    public static unsafe class Api", "    {", "        const string Library = \"sinew\";", ""]
    out += [f"        public const int {name} = {value};" for name, value in constants.items()]
    out += [f"        public const int {v};" for v in g.enumerators(g.anonymous)]
    for name, declared in g.functions.items():
        out += ["", "        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]", f"        {g.function(name, declared)}"]
    out += ["    }", "}"]
    print("\n".join(out))


main()
