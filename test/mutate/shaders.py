"""Whether a mutated file of shaders/math compiles, and is another shader than before."""
import os
import re
import subprocess
import tempfile


def _with_needs(root, name, seen):
    """The text of a file of shaders/math, after all that its head says it needs."""
    if name in seen:
        return ""
    seen.add(name)
    path = f"{root}/shaders/math/{name}.glsl"
    if os.path.exists(path):
        with open(path) as f:
            text = f.read()
    else:  # mk/embed.sh widens what pairs of f32 have into pairs of f64
        text = subprocess.run(["sed", "-E", "-f", f"{root}/shaders/math/widen.sed", path.replace("_c128.", "_c64.")],
                              capture_output=True, text=True, check=True).stdout
    needs = re.search(r"^//! needs:(.*)$", text, re.M)
    before = "".join(_with_needs(root, n, seen) for n in (needs.group(1).split() if needs else []))
    return before + text


def _spirv(root, path):
    with open(f"{root}/shaders/prelude.glsl") as f:
        prelude = f.read()
    name = os.path.basename(path)[:-len(".glsl")]
    types = "int8 int16 int64 float16 float64".split()
    extensions = "".join(f"#extension GL_EXT_shader_explicit_arithmetic_types_{t} : require\n" for t in types)
    body = _with_needs(root, name, set())
    main = "layout(local_size_x = 1) in;\nvoid main() {}\n"
    head = "#version 450\n" + extensions
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/x.comp", "w") as f:
            f.write(head + prelude + body + main)
        options = "-V --target-env vulkan1.1 -g0 --keep-uncalled"  # nothing here is called
        command = f"glslangValidator {options} {folder}/x.comp -o {folder}/x.spv".split()
        done = subprocess.run(command, capture_output=True)
        if done.returncode:
            return None
        with open(f"{folder}/x.spv", "rb") as f:
            return f.read()


def compiles(tree, path, compare=False):
    """Whether it does; with `compare`, in words, how it compares with the file of the checkout."""
    found = _spirv(tree.at, path)
    if not compare:
        return found is not None
    if found is None:
        return "does not compile"
    return "different" if found != _spirv(tree.root, path) else "the same code"
