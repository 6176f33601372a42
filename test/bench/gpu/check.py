"""Whether results are right, against f64. Each check returns the worst relative error and the bound that holds for it.

Errors are relative to the largest value of an output, or to the norm of the matrix. Bounds, in units of the type's
epsilon: `close N` N, with N from the number of roundings on the way; `product` n times the condition sum|terms| / max|result|, the bound
of sums in any order; `sum` log2(n) + 4 times the condition, since sums here are trees or compensated; both with f32
inside where the type is smaller, and one rounding of the result; factorisations N n, for the residual and for orthogonality: N is 1, or 30 as in LAPACK's tests
for eigenvalues and singular values. Nx's own expansion, which is taken for singular values of fewer than 16 columns, has
ratios up to 169 (compiler/passes/DECISIONS.md).
"""
import math

import numpy as np

import twins

EPSILON = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24, "f64": 2.0**-53, "c64": 2.0**-24}


class NoReference(Exception):
    pass


def wide(x):
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64 if x.dtype.kind == "f" else x.dtype)


def relative(x, y):
    """inf where one is finite and the other not."""
    x, y = wide(x).reshape(y.shape), wide(y)
    if not np.array_equal(np.isfinite(x), np.isfinite(y)):
        return math.inf
    if not y.size:
        return 0.0
    return float(np.nanmax(np.abs(x - y)) / (np.nanmax(np.abs(y)) or 1.0))


def norm(x):
    return float(np.sqrt((x * x).sum()))


def reference(row, entry, arrays, xla):
    """By NumPy where it has the function, else by JAX."""
    table = twins.of(np)
    if row.graph in table:
        return [np.asarray(table[row.graph](*(wide(x) for x in arrays)))]
    if xla is None:
        raise NoReference("NumPy has no such function, and JAX is not installed")
    return xla.reference(row, entry, arrays)


def orthogonal(*matrices):
    """How far columns are from orthonormal."""
    worst = 0.0
    for q in matrices:
        gap = twins.turned(q) @ q - np.eye(q.shape[-1])
        worst = max(worst, norm(gap) / math.sqrt(gap.size / q.shape[-1]))
    return worst


def residual(a, product):
    return norm(a - product) / norm(a)


def factorisation(kind, a, out):
    """The larger of the residual and of what misses orthogonality."""
    turned = twins.turned
    if kind == "cholesky":
        return residual(a, out[0] @ turned(out[0]))
    if kind == "qr":
        return max(residual(a, out[0] @ out[1]), orthogonal(out[0]))
    if kind == "lu":  # growth of the pivots is no fault of the program
        return residual(a, out[0] @ out[1] @ out[2]) / max(1.0, np.abs(out[2]).max() / np.abs(a).max())
    if kind == "eigh":
        w, v = out
        return max(norm(a @ v - v * w[..., None, :]) / norm(a), orthogonal(v))
    u, s, vt = out
    return max(residual(a, (u[..., : s.shape[-1]] * s[..., None, :]) @ vt[..., : s.shape[-1], :]), orthogonal(u, turned(vt)))


def of_sum(row, arrays, out, expected, epsilon):
    """For sums of products, or of values."""
    if row.check == "product":
        size, terms = arrays[0].shape[1], np.abs(wide(arrays[0])) @ np.abs(wide(arrays[1]))
    else:
        table = twins.of(np)
        size, terms = arrays[0].size // expected.size, table[row.graph](np.abs(wide(arrays[0])))
    condition = float(np.max(terms) / np.max(np.abs(expected)))
    result = epsilon if epsilon > EPSILON["f32"] else 0
    roundings = size if row.check == "product" else math.log2(size) + 4
    return relative(out, expected), result + roundings * min(epsilon, EPSILON["f32"]) * condition


def distribution(kind, x):
    """Of n random values the mean is within five of its deviations; uniform ones are in [0, 1)."""
    mean, deviation = (0.5, math.sqrt(1 / 12)) if kind == "uniform" else (0.0, 1.0)
    error = abs(float(x.mean(dtype=np.float64)) - mean)
    is_right = np.isfinite(x).all() and (kind != "uniform" or (x.min() >= 0 and x.max() < 1))
    return error if is_right else math.inf, 5 * deviation / math.sqrt(x.size)


def check(row, entry, arrays, out, xla):
    """Returns the worst error, and its bound."""
    kind, _, count = row.check.partition(" ")
    types = [p["type"] for p in entry["params"]]
    epsilon = max(EPSILON.get(t, 0) for t in types) or EPSILON["f32"]
    a = wide(arrays[0])
    if kind == "none":
        raise NoReference("too large for one")
    if kind in ("cholesky", "qr", "lu", "eigh", "svd"):
        return factorisation(kind, a, [wide(x) for x in out]), int(count or 1) * max(a.shape[-2:]) * epsilon
    if kind == "solve":
        x, b = wide(out[0]), wide(arrays[1])
        return norm(a @ x - b) / (norm(a) * norm(x)), a.shape[-1] * epsilon
    if kind in ("uniform", "standard"):
        return distribution(kind, out[0])
    if kind == "argsort":
        is_permutation = np.array_equal(np.sort(out[0]), np.arange(a.size))
        return (0.0 if is_permutation and np.array_equal(a[out[0]], np.sort(a)) else math.inf), 0.0
    if kind == "nearest":  # the distance to the chosen centre, not which of two equal ones
        d = twins.distances(a, wide(arrays[1]))
        gap = d[np.arange(len(d)), out[0]] - d.min(1)
        return float(gap.max() / np.abs(d).max()), 64 * epsilon
    expected = reference(row, entry, arrays, xla)
    if kind in ("product", "sum"):
        return of_sum(row, arrays, out[0], expected[0], epsilon)
    if kind in ("exact", "first"):
        return relative(out[0], expected[0]), 0.0
    if len(out) != len(expected):
        raise NoReference("%d outputs, the reference has %d" % (len(out), len(expected)))
    return max(relative(x, y) for x, y in zip(out, expected)), int(count) * epsilon
