"""Inputs of the rows, the same bytes for vkrun and for the peers. Values are made in threads, each block from a
generator of its own, so that they do not depend on how many threads there are."""
import concurrent.futures
import os

import numpy as np

BLOCK = 1 << 22
NUMPY = {"f16": "f2", "bf16": "f4", "f32": "f4", "f64": "f8", "s32": "i4", "s64": "i8", "u32": "u4", "c64": "c8"}


def filled(count, seed, uniform):
    """Standard normals, or multiples of 2^-24 in [0, 1): f32."""
    out = np.empty(count, np.float32)

    def fill(first):
        part = out[first : first + BLOCK]
        generator = np.random.Generator(np.random.SFC64([seed, first // BLOCK]))
        if uniform:
            generator.random(out=part, dtype=np.float32)
        else:
            generator.standard_normal(out=part, dtype=np.float32)

    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(fill, range(0, count, BLOCK)))
    return out


def swapped(x):
    return np.swapaxes(x, -1, -2)


def labels(shape):
    return np.eye(shape[1], dtype=np.float32)[np.arange(shape[0]) % shape[1]]


def series(shape):
    """The observations of test/support/models.ex; those of a batch differ a little."""
    i = np.arange(shape[-1])
    one = 0.0005 + 0.012 * np.sin(1.7 * i) * np.where(i % 20 == 7, 3, 1)
    return one + 0.0001 * np.sin(np.arange(np.prod(shape))).reshape(shape) * (len(shape) > 1)


POINT = np.array([0.25, -0.5, 0.002, 0.0015, np.log(0.008), np.log(0.012), np.log(0.03), np.log(0.5)])
MASS = np.array([0.25, 0.25, 1e-4, 1e-6, 0.04, 0.04, 0.04, 1.0])


def values(kind, shape, seed, rows):
    """The values of one input; `rows` is the first axis of the first input, the size of a table."""
    kind, _, argument = kind.partition(" ")
    count = int(np.prod(shape, dtype=np.int64))

    def normal():
        return filled(count, seed, False).reshape(shape)

    if kind in ("normal", "uniform"):
        return filled(count, seed, kind == "uniform").reshape(shape)
    if kind == "weights":  # such that layers keep the size of what goes through them
        fan_in = np.prod(shape[1:]) if len(shape) == 4 else shape[0]
        return normal() / np.sqrt(np.float32(fan_in))
    if kind == "embedding":
        return normal() * np.float32(0.05)
    if kind == "const":
        return np.full(shape, float(argument))
    if kind == "tokens":
        return np.random.default_rng(seed).integers(0, rows, shape)
    if kind == "key":
        return np.array([0, 42])
    if kind == "labels":
        return labels(shape)
    if kind == "symmetric":
        x = normal()
        return (x + swapped(x)) / 2
    if kind == "spd":
        x = normal()
        return x @ swapped(x) / np.float32(shape[-1]) + np.eye(shape[-1], dtype=np.float32)
    if kind == "lower":
        return np.tril(normal()) / np.float32(np.sqrt(shape[-1])) + 4 * np.eye(shape[-1], dtype=np.float32)
    if kind == "point":
        return np.broadcast_to(POINT, shape)
    if kind == "mass":
        return MASS
    if kind == "momentum":
        return (0.7 - 0.2 * np.arange(8)) / np.sqrt(MASS)
    if kind == "series":
        return series(shape)
    raise ValueError("no kind of inputs: " + kind)


def to_bf16(x):
    """To nearest even; the upper halves of f32."""
    bits = x.view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def make(row, params):
    """An array for each parameter. Those of bf16 are f32 that bf16 has."""
    arrays = []
    for i, param in enumerate(params):
        kind = row.inputs[min(i, len(row.inputs) - 1)]
        x = values(kind, tuple(param["shape"]), i + 1, params[0]["shape"][0] if params[0]["shape"] else 1)
        x = np.ascontiguousarray(x, NUMPY[param["type"]]).reshape(param["shape"])
        arrays.append(from_bf16(to_bf16(x)) if param["type"] == "bf16" else x)
    return arrays


def write(arrays, params, folder):
    """Files of raw bytes, as NAME=file arguments of vkrun."""
    arguments = []
    for i, (x, param) in enumerate(zip(arrays, params)):
        path = os.path.join(folder, "in%d.bin" % i)
        (to_bf16(x) if param["type"] == "bf16" else x).tofile(path)
        arguments.append("%d=%s" % (i, path))
    return arguments
