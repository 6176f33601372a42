#!/usr/bin/env python3
"""The instructions of NVIDIA's driver for the kernels of a bundle, out of the pipelines that the runtime keeps.

    vkrun --trusted --cache FOLDER --random 1 model.vkb
    sass.py FOLDER [OUT]     writes OUT/N.sass for each pipeline, and prints how often each instruction occurs

Needs nvdisasm of CUDA, and zstd. What vkGetPipelineCacheData gives on driver 580.159 is a list of entries that begin
with CPKV: a key, a size at byte 32, and zstd from byte 44 on. Inside, NVuc is the head of the code: the size of the
instructions at 68, where they begin at 72, both from there. Another driver may have another layout, which shows as
"no code" or as instructions that nvdisasm does not know. The order of the entries is not that of the kernels.
"""
import collections
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]+\*/\s+(?:\{\s*)?(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)", re.MULTILINE)


def entries(blob):
    """The contents of each entry, decompressed."""
    at = blob.find(b"CPKV")
    while at >= 0:
        (size,) = struct.unpack_from("<Q", blob, at + 32)
        packed = blob[at + 44 : at + 44 + size]
        done = subprocess.run(["zstd", "-dqc"], input=packed, capture_output=True, check=False)
        if done.stdout:  # what stands behind the frame is an error, and of no use
            yield done.stdout
        at = blob.find(b"CPKV", at + 4)


def code_of(entry):
    """The instructions, or None."""
    head = entry.find(b"NVuc")
    if head < 0:
        return None
    size, first = struct.unpack_from("<II", entry, head + 68)
    code = entry[head + first : head + first + size]
    return code if len(code) == size and size % 16 == 0 else None


def disassembled(code, architecture):
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(code)
        file.flush()
        run = ["nvdisasm", "-b", architecture, "-c", file.name]
        return subprocess.run(run, capture_output=True, text=True, check=True).stdout


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else ".")
    out.mkdir(parents=True, exist_ok=True)
    number = 0
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.pipelines")):
        for entry in entries(path.read_bytes()):
            code = code_of(entry)
            if code is None:
                print(f"{path.name}: no code")
                continue
            text = disassembled(code, "SM90")
            (out / f"{number}.sass").write_text(text)
            counts = collections.Counter(INSTRUCTION.findall(text))
            registers = max((int(r) for r in re.findall(r"\bR(\d+)", text)), default=0) + 1
            most = ", ".join(f"{n} {name}" for name, n in counts.most_common(12))
            print(f"{number}: {sum(counts.values())} instructions, {registers} registers: {most}")
            number += 1


if __name__ == "__main__":
    main()
