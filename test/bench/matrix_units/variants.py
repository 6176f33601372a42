#!/usr/bin/env python3
"""Writes products of 4096 x 4096 on matrix units in many forms, as SPIR-V, with a list for products.c.

  GLSLANG="glslangValidator of 15.1 or later" variants.py FOLDER

GLSLANG compiles GL_KHR_cooperative_matrix and GL_NV_cooperative_matrix2. Variants `number` need neither: they name
instructions by number, as shaders/matrix_unit.glsl does, and any glslang from 12 on, GLSLANG_OLD, compiles them.
A line of FOLDER/list: name, workgroups, type of the operands, type of the result, how the right operand lies, and how far
from an element the rows and columns are that stand for lower halves, 0 for none."""
import os
import struct
import subprocess
import sys

N, BAND = 4096, 8
HEAD = """#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_control_flow_attributes : require
"""
ROW, COLUMN = "gl_CooperativeMatrixLayoutRowMajor", "gl_CooperativeMatrixLayoutColumnMajor"


class Variant:
    def __init__(self, name, text, groups, old=False, operands="f16", result="f32", right="row", low=(0, 0)):
        self.name, self.text, self.groups, self.old = name, text, groups, old
        self.operands, self.result, self.right, self.low = operands, result, right, low


def main(threads, tile_m, tile_n, body, result="float", extensions=(), declared=""):
    """The shader around `body`; workgroups that run together share rows of a band of tiles."""
    return HEAD + "".join(f"#extension {x} : require\n" for x in extensions) + f"""
layout(local_size_x = {threads}) in;
layout(std430, binding = 0) readonly buffer A {{ uvec4 a[]; }};
layout(std430, binding = 1) readonly buffer B {{ uvec4 b[]; }};
layout(std430, binding = 2) writeonly buffer C {{ {result} c[]; }};
{declared}
void main()
{{
    const uint of_band = {N // tile_n * BAND}u;
    uint band = gl_WorkGroupID.x / of_band, tile = gl_WorkGroupID.x % of_band;
    uint m = (band * {BAND}u + tile % {BAND}u) * {tile_m}u, n = tile / {BAND}u * {tile_n}u;
{body}}}
"""


def groups(tile_m, tile_n):
    return N // tile_m * (N // tile_n)


def workgroup(tile, threads, load="tensor", sums="f32", result="f32", right="row", operands="f16", terms=1):
    """Matrices of a whole workgroup (VK_NV_cooperative_matrix2), from memory with a pitch (`pointer`) or a tensor
    layout. `terms` 3: what f32 as halves takes. For lower halves stand the operands of the next tile, unscaled, so that
    all three products show in the result."""
    tm, tn, tk = tile
    kind = {"f32": "float", "f16": "float16_t"}
    matrix = "coopmat<{}, gl_ScopeWorkgroup, {}, {}, gl_MatrixUse{}>".format
    acc, x, y = matrix(kind[sums], tm, tn, "Accumulator"), matrix("float16_t", tm, tk, "A"), matrix("float16_t", tk, tn, "B")

    def left(to, at):
        if load == "tensor":
            return f"        {x} {to}; coopMatLoadTensorNV({to}, a, 0, sliceTensorLayoutNV(whole, {at}, {tm}, k, {tk}));\n"
        return f"        {x} {to}; coopMatLoad({to}, a, {at} * {N // 8}u + k / 8u, {N // 8}u, {ROW});\n"

    def rhs(to, at):
        turned = right == "column"
        if load == "tensor":
            part = f"{at}, {tn}, k, {tk}), turned" if turned else f"k, {tk}, {at}, {tn})"
            return f"        {y} {to}; coopMatLoadTensorNV({to}, b, 0, sliceTensorLayoutNV(whole, {part});\n"
        place = f"{at} * {N // 8}u + k / 8u" if turned else f"k * {N // 8}u + {at} / 8u"
        return f"        {y} {to}; coopMatLoad({to}, b, {place}, {N // 8}u, {COLUMN if turned else ROW});\n"

    body = f"    {acc} sum = {acc}(0.0);\n" + (f"    {acc} low = {acc}(0.0);\n" if terms == 3 else "")
    if load == "tensor":
        body += f"    tensorLayoutNV<2> whole = setTensorLayoutDimensionNV(createTensorLayoutNV(2), {N}, {N});\n" \
                "    tensorViewNV<2, false, 1, 0> turned = createTensorViewNV(2, false, 1, 0);\n"
    body += f"    for (uint k = 0u; k < {N}u; k += {tk}u) {{\n" + left("x", "m") + rhs("y", "n")
    if terms == 3:
        body += left("low_x", f"(m + {tm}u) % {N}u") + rhs("low_y", f"(n + {tn}u) % {N}u")
        body += "        low = coopMatMulAdd(x, low_y, low);\n        low = coopMatMulAdd(low_x, y, low);\n"
    body += "        sum = coopMatMulAdd(x, y, sum);\n    }\n"
    if terms == 3:
        body += "    sum = sum + low;\n"
    out = matrix(kind["f32" if result == "f32" else "f16"], tm, tn, "Accumulator")
    body += f"    coopMatStore({out}(sum), c, m * {N}u + n, {N}u, {ROW});\n"
    name = f"workgroup {tm}x{tn}x{tk} {threads} {load} {operands} {sums} {result} {right}" + (" x3" if terms == 3 else "")
    text = main(threads, tm, tn, body, kind["f32" if result == "f32" else "f16"],
                ("GL_KHR_cooperative_matrix", "GL_NV_cooperative_matrix2"))
    return Variant(name, text, groups(tm, tn), operands=operands, result=result, right=right,
                   low=(tm, tn) if terms == 3 else (0, 0))


def number(tile, threads, operands="f16"):
    """The same from memory with a pitch, rounded to the operands' type, without GLSL's own words for it."""
    tm, tn, tk = tile
    extra, caps = ('', ", 9") if operands == "f16" else (', "SPV_KHR_bfloat16"', ", 5116, 5118")
    element = 16 if operands == "f16" else 17
    types = {"MatrixA": (element, tm, tk, 0), "MatrixB": (element, tk, tn, 1), "MatrixSum": (32, tm, tn, 2),
             "MatrixResult": (element, tm, tn, 2)}
    declared = f'#define KIND extensions = ["SPV_KHR_cooperative_matrix"{extra}], capabilities = [6022{caps}], id = 4456\n'
    for name, (bits, rows, columns, use) in types.items():
        declared += f"#define {name} spirv_type(KIND, {bits}, 2, {rows}, {columns}, {use})\n"
    declared += """
spirv_instruction(id = 4457) MatrixA load_a(spirv_by_reference uvec4 from, uint by, uint pitch, spirv_literal uint access);
spirv_instruction(id = 4457) MatrixB load_b(spirv_by_reference uvec4 from, uint by, uint pitch, spirv_literal uint access);
spirv_instruction(id = 4458)
void store(spirv_by_reference uvec4 to, MatrixResult x, uint by, uint pitch, spirv_literal uint access);
spirv_instruction(id = 4459) MatrixSum multiply_add(MatrixA a, MatrixB b, MatrixSum sum);
spirv_instruction(id = 80) MatrixSum fill(float x);
spirv_instruction(id = 115) MatrixResult rounded(MatrixSum x);"""
    body = f"""    MatrixSum sum = fill(0.0);
    for (uint k = 0u; k < {N}u; k += {tk}u) {{
        MatrixA x = load_a(a[m * {N // 8}u + k / 8u], 0u, {N // 8}u, 0u);
        MatrixB y = load_b(b[k * {N // 8}u + n / 8u], 0u, {N // 8}u, 0u);
        sum = multiply_add(x, y, sum);
    }}
    store(c[m * {N // 8}u + n / 8u], rounded(sum), 0u, {N // 8}u, 0u);
"""
    text = main(threads, tm, tn, body, "uvec4", ("GL_EXT_spirv_intrinsics",), declared)
    return Variant(f"number {tm}x{tn}x{tk} {threads} pointer {operands} f32 {operands} row", text, groups(tm, tn), True,
                   operands=operands, result=operands)


def subgroup(tile, part, order, result="f32"):
    """Matrices of 16 x 16 of a subgroup (VK_KHR_cooperative_matrix) through shared memory. `order` of a step:
    `one`: barrier, put, barrier, fetch, multiply, with one tile in shared memory; `early`: put, fetch, multiply,
    barrier, with two; `late`: fetch, multiply, put, barrier, with two."""
    (tm, tn, tk), (pm, pn) = tile, part
    threads = tm // pm * (tn // pn) * 32
    pitch, tiles = {"a": tk // 8 + 1, "b": tn // 8 + 1}, 1 if order == "one" else 2
    size = {"a": tm * pitch["a"], "b": tk * pitch["b"]}
    each = {"a": tm * tk // 8 // threads, "b": tk * tn // 8 // threads}
    matrix = "coopmat<{}, gl_ScopeSubgroup, 16, 16, gl_MatrixUse{}>".format
    acc, x, y = matrix("float", "Accumulator"), matrix("float16_t", "A"), matrix("float16_t", "B")
    across = {"a": tk // 8, "b": tn // 8}

    def lines(f):
        return "".join(f(s, r, f"(t + {r * threads}u) / {across[s]}u", f"(t + {r * threads}u) % {across[s]}u")
                       for s in "ab" for r in range(each[s]))

    def fetch(k):
        at = {"a": "(m + {0}) * %du + (%s) / 8u + {1}" % (N // 8, k), "b": "((%s) + {0}) * %du + n / 8u + {1}" % (k, N // 8)}
        return lines(lambda s, r, line, place: f"next_{s}{r} = {s}[{at[s].format(line, place)}];\n")

    def put(half):
        return lines(lambda s, r, line, place:
                     f"tile_{s}[{half * size[s]}u + {line} * {pitch[s]}u + {place}] = next_{s}{r};\n")

    def multiply(half):
        text = ""
        for k in range(tk // 16):
            text += "{\n" + "".join(f"{x} x{i}; coopMatLoad(x{i}, tile_a, {half * size['a'] + k * 2}u + (part_m + {i * 16}u) * "
                                    f"{pitch['a']}u, {pitch['a']}u, {ROW});\n" for i in range(pm // 16))
            for j in range(pn // 16):
                text += f"{{ {y} y; coopMatLoad(y, tile_b, {half * size['b'] + k * 16 * pitch['b'] + j * 2}u + part_n / 8u, " \
                        f"{pitch['b']}u, {ROW});\n"
                text += "".join(f"sums[{i * (pn // 16) + j}] = coopMatMulAdd(x{i}, y, sums[{i * (pn // 16) + j}]);\n"
                                for i in range(pm // 16)) + "}\n"
            text += "}\n"
        return text

    def step(half, k):
        if order == "one":
            return "barrier();\n" + put(0) + "barrier();\n" + (fetch(k) if k else "") + multiply(0)
        if order == "late":
            return (fetch(k) if k else "") + multiply(half) + (put(1 - half) if k else "") + "barrier();\n"
        return (put(1 - half) + fetch(k) if k else "") + multiply(half) + "barrier();\n"

    steps, count = N // tk, pm // 16 * (pn // 16)
    names = ", ".join(f"next_{s}{r}" for s in "ab" for r in range(each[s]))
    body = f"uint t = gl_LocalInvocationIndex, part_m = t / 32u % {tm // pm}u * {pm}u, part_n = t / 32u / {tm // pm}u * {pn}u;\n" \
           f"{acc} sums[{count}];\n" + "".join(f"sums[{i}] = {acc}(0.0);\n" for i in range(count)) + \
           f"uvec4 {names};\n" + fetch("0u")
    if order == "one":
        body += f"[[dont_unroll]] for (uint s = 1u; s < {steps}u; s++) {{\n{step(0, f's * {tk}u')}}}\n" + step(0, None)
    else:
        ahead = 1 if order == "late" else 2  # the step whose operands are fetched
        body += put(0) + "barrier();\n" + (fetch(f"{tk}u") if ahead == 2 else "")
        body += f"[[dont_unroll]] for (uint s = 0u; s < {steps - 2}u; s += 2u) {{\n" + \
                step(0, f"(s + {ahead}u) * {tk}u") + step(1, f"(s + {ahead + 1}u) * {tk}u") + "}\n"
        body += (fetch(f"{(steps - 1) * tk}u") + multiply(0) + put(1) if ahead == 1 else put(1) + multiply(0)) + "barrier();\n"
        body += multiply(1)
    kind = {"f32": "float", "f16": "float16_t"}[result]
    for i in range(count):
        body += f"coopMatStore({matrix(kind, 'Accumulator')}(sums[{i}]), c, (m + part_m + {i // (pn // 16) * 16}u) * {N}u + " \
                f"n + part_n + {i % (pn // 16) * 16}u, {N}u, {ROW});\n"
    declared = f"shared uvec4 tile_a[{tiles * size['a']}], tile_b[{tiles * size['b']}];"
    text = main(threads, tm, tn, body, kind, ("GL_KHR_cooperative_matrix",), declared)
    return Variant(f"subgroup {tm}x{tn}x{tk} {pm}x{pn} {order} f16 f32 {result} row", text, groups(tm, tn), result=result)


def variants():
    best = (128, 256, 64)
    for tile in (128, 256, 32), (128, 128, 32):
        for result in "f32", "f16":
            yield subgroup(tile, (64, 64), "one", result)
    for order in "early", "late":
        yield subgroup((128, 128, 32), (64, 64), order)
        yield subgroup((128, 128, 16), (64, 64), order)
    yield subgroup((128, 128, 32), (32, 64), "late")
    for tile in (128, 256), (256, 128), (128, 128), (64, 256), (256, 256):
        for k in 32, 64:
            yield workgroup((*tile, k), 256)
    for k in 16, 128:
        yield workgroup((128, 256, k), 256)
    for threads in 128, 512:
        yield workgroup((128, 128, 32), threads)
        yield workgroup((128, 256, 32), threads)
    for load in "tensor", "pointer":
        for operands in "f16", "bf16":
            yield workgroup(best, 256, load, operands=operands, result=operands)
        yield workgroup(best, 256, load, right="column")
        yield workgroup((128, 256, 32), 256, load, result="f16")
    for tile in best, (256, 256, 32):
        yield workgroup(tile, 256, sums="f16", result="f16")
    for tile, threads in ((128, 128, 32), 256), ((128, 128, 64), 256), ((64, 128, 32), 128), ((128, 64, 32), 128):
        yield workgroup(tile, threads, terms=3)
    for operands in "f16", "bf16":
        yield number(best, 256, operands)


# ---- what glslang does not write ----

def words_of(path):
    with open(path, "rb") as f:
        data = f.read()
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def instructions(words):
    at = 5
    while at < len(words):
        yield words[at:at + (words[at] >> 16)]
        at += words[at] >> 16


def as_bfloat16(words):
    """f16, the module's only float type of 16 bits, becomes bfloat16."""
    text = b"SPV_KHR_bfloat16".ljust(20, b"\0")
    out, is_first = words[:5], True
    for w in instructions(words):
        if w[0] & 0xffff != 17 and is_first:
            out += [2 << 16 | 17, 5116, 2 << 16 | 17, 5118, 6 << 16 | 10, *struct.unpack("<5I", text)]
            is_first = False
        if w[0] & 0xffff == 22 and w[2] == 16:
            w = [4 << 16 | 22, w[1], 16, 0]
        if w != [2 << 16 | 17, 9]:  # Float16
            out += w
    return out


def completed(words):
    """Types of matrices have ids where glslang wrote numbers; pack/finish.c does the same."""
    out, ids = words[:5], {}

    def new_id():
        out[3] += 1
        return out[3] - 1

    for w in instructions(words):
        op = w[0] & 0xffff
        if op == 22 and w[2] in (16, 32) and len(w) == 3:
            if w[2] in ids:
                continue
            ids[w[2]] = w[1]
        if op == 21 and w[2:] == [32, 0]:
            ids["uint"] = w[1]
        if op != 4456:
            out += w
            continue
        element = w[2]
        if element not in ids:
            ids[element] = next((x[1] for x in instructions(words) if x[0] & 0xffff == 22 and x[2] == element), 0) or new_id()
            out += [4 << 16 | 22, ids[element], 16, 0] if element == 17 else [3 << 16 | 22, ids[element], element]
        operands = []
        for value in w[3:]:
            operands.append(new_id())
            out += [4 << 16 | 43, ids["uint"], operands[-1], value]
        out += [7 << 16 | 4456, w[1], ids[element], *operands]
    return out


def compile_variant(folder, i, v):
    path = f"{folder}/{i:03}"
    with open(path + ".comp", "w") as f:
        f.write(v.text)
    tool = os.environ.get("GLSLANG_OLD" if v.old else "GLSLANG", "glslangValidator").split()
    subprocess.run([*tool, "-V", "--target-env", "vulkan1.3", path + ".comp", "-o", path + ".spv"], check=True,
                   stdout=subprocess.DEVNULL)
    words = words_of(path + ".spv")
    if v.old:
        words = completed(words)
    elif v.operands == "bf16":
        words = as_bfloat16(words)
    with open(path + ".spv", "wb") as f:
        f.write(struct.pack(f"<{len(words)}I", *words))
    return f"{v.name.replace(' ', '_')} {path.rsplit('/')[-1]}.spv {v.groups} {v.operands} {v.result} {v.right} {v.low[0]} {v.low[1]}\n"


if __name__ == "__main__":
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    with open(folder + "/list", "w") as f:
        f.writelines(compile_variant(folder, i, v) for i, v in enumerate(variants()))
