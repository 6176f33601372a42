#!/usr/bin/env python3
"""Graphs of a given size, as text IR, to see how compile time and memory grow with them.

    graphs.py KIND NODES > graph.t

chain        element-wise ops one after the other
mlp          layers of one shape
mlp_distinct layers of shapes of their own
small_layers layers of a small batch, with a sum of each row between them
transformer  blocks of attention, normalisation and two layers
wide         sums that have one input in common, all of one shape
wide_distinct the same, of shapes of their own
branches     blocks of a transformer with a branch after each
loops        the same with a loop of unknown length
one_loop     the same with one loop at the end
carried      a loop that carries a third as many values, each made from the next one
"""
import sys


class Graph:
    """A function under construction; values are (label, shape)."""

    def __init__(self):
        self.lines, self.params, self.count, self.regions = [], [], 0, []

    def node(self, op, ins, shape, attrs=""):
        label = self.count
        self.count += 1
        names = ", ".join(f"n{i[0]}" for i in ins)
        dims = ",".join(str(d) for d in shape)
        words = " ".join(word for word in (op, names, attrs) if word)
        self.lines.append(f"  n{label} = {words} : f32[{dims}]")
        return label, tuple(shape)

    def parameter(self, *shape):
        self.params.append(shape)
        return self.node("parameter", [], shape, f"index={len(self.params) - 1}")

    def constant(self, bits, shape):
        return self.node("constant", [], shape, f"bits={bits}")

    def broadcast(self, x, shape, axes):
        return self.node("broadcast", [x], shape, f"axes=[{','.join(map(str, axes))}]")

    def same(self, op, *xs):
        return self.node(op, xs, xs[0][1])

    def reduce(self, op, x):
        """Along the last axis."""
        return self.node(op, [x], x[1][:-1], f"axes=[{len(x[1]) - 1}] keep=false")

    def along_rows(self, x, to):
        return self.broadcast(x, to, range(len(to) - 1))

    def dot(self, x, y):
        """[..., k] and [k, n]."""
        return self.node("dot", [x, y], x[1][:-1] + y[1][1:],
                         f"contract_a=[{len(x[1]) - 1}] batch_a=[] contract_b=[0] batch_b=[]")

    def layer(self, x, width, activation):
        y = self.dot(x, self.parameter(x[1][-1], width))
        y = self.same("add", y, self.broadcast(self.parameter(width), y[1], [len(y[1]) - 1]))
        return self.same(activation, y) if activation else y

    def region(self, x, lines, result):
        """A function of a value like x, called n0; its index."""
        dims = ",".join(map(str, x[1]))
        body = "".join(f"  {line}\n" for line in [f"n0 = parameter index=0 : f32[{dims}]"] + lines)
        self.regions.append(f'\nfunc f{len(self.regions) + 1}(f32[{dims}] "x") {{\n{body}  return {result}\n}}\n')
        return len(self.regions)

    def text(self, results):
        head = ", ".join(f"f32[{','.join(map(str, p))}] \"p{i}\"" for i, p in enumerate(self.params))
        body = "\n".join(self.lines)
        returned = ", ".join(f"n{r[0]}" for r in results)
        entry = f"func f0({head}) {{\n{body}\n  return {returned}\n}}\n"
        return 'graph "scale" entry=f0 callbacks=0\n\n' + entry + "".join(self.regions)


def chain(g, nodes):
    x, y = g.parameter(1024), g.parameter(1024)
    ops = ["tanh", "add", "negate", "multiply", "subtract"]
    while g.count < nodes:
        op = ops[g.count % len(ops)]
        x = g.same(op, x) if op in ("tanh", "negate") else g.same(op, x, y)
    return [x]


def mlp(g, nodes, widths=lambda i: 128):
    x, i = g.parameter(32, widths(0)), 1
    while g.count < nodes:
        x = g.layer(x, widths(i), "tanh")
        i += 1
    return [x]


def mlp_distinct(g, nodes):
    return mlp(g, nodes, lambda i: 64 + i % 509)


def small_layers(g, nodes):
    x = g.parameter(32, 64)
    while g.count < nodes:
        x = g.layer(x, 64, None)
        x = g.same("add", x, g.along_rows(g.reduce("sum", x), x[1]))
    return [x]


def softmax(g, x):
    x = g.same("exp", g.same("subtract", x, g.along_rows(g.reduce("reduce_max", x), x[1])))
    return g.same("divide", x, g.along_rows(g.reduce("sum", x), x[1]))


def normalise(g, x):
    size = g.constant("43000000", x[1][:-1])
    mean = g.same("divide", g.reduce("sum", x), size)
    x = g.same("subtract", x, g.along_rows(mean, x[1]))
    variance = g.same("divide", g.reduce("sum", g.same("multiply", x, x)), size)
    scale = g.same("rsqrt", g.same("add", variance, g.constant("3727c5ac", x[1][:-1])))
    x = g.same("multiply", x, g.along_rows(scale, x[1]))
    for op in "multiply", "add":
        x = g.same(op, x, g.broadcast(g.parameter(x[1][-1]), x[1], [len(x[1]) - 1]))
    return x


def attend(g, x, heads=4):
    batch, length, width = x[1]
    split = (batch, length, heads, width // heads)

    def project():
        return g.node("transpose", [g.node("reshape", [g.layer(x, width, None)], split)],
                      (batch, heads, length, width // heads), "axes=[0,2,1,3]")

    q, k, v = project(), project(), project()
    scores = g.node("dot", [q, k], (batch, heads, length, length),
                    "contract_a=[3] batch_a=[0,1] contract_b=[3] batch_b=[0,1]")
    scores = g.same("multiply", scores, g.constant("3e3504f3", scores[1]))
    out = g.node("dot", [softmax(g, scores), v], (batch, heads, length, width // heads),
                 "contract_a=[3] batch_a=[0,1] contract_b=[2] batch_b=[0,1]")
    out = g.node("transpose", [out], split, "axes=[0,2,1,3]")
    return g.layer(g.node("reshape", [out], x[1]), width, None)


def block(g, x):
    x = g.same("add", x, attend(g, normalise(g, x)))
    return g.same("add", x, g.layer(g.layer(normalise(g, x), 512, "tanh"), 128, None))


def transformer(g, nodes):
    x = g.parameter(2, 64, 128)
    while g.count < nodes:
        x = block(g, x)
    return [x]


def wide(g, nodes, rows=lambda i: 64):
    out, i = [], 0
    x = g.parameter(128)
    while g.count < nodes:
        y = g.parameter(rows(i), 128)
        out.append(g.reduce("sum", g.same("multiply", y, g.broadcast(x, y[1], [1]))))
        i += 1
    return out


def wide_distinct(g, nodes):
    return wide(g, nodes, lambda i: 1 + i)


def above_zero(g, x):
    """A predicate: whether the sum of x is above zero."""
    axes = ",".join(map(str, range(len(x[1]))))
    return g.region(x, [f"n1 = sum n0 axes=[{axes}] keep=false : f32[]", "n2 = constant bits=00000000 : f32[]",
                        "n3 = greater n1, n2 : u8[]"], "n3")


def control(g, x, op):
    dims = ",".join(map(str, x[1]))
    regions = [above_zero(g, x)]
    for i in range(1 if op == "while" else 2):
        function = "sin" if i else "cos"
        regions.append(g.region(x, [f"n1 = {function} n0 : f32[{dims}]"], "n1"))
    return g.node(op, [x], x[1], f"regions=[{','.join(f'f{r}' for r in regions)}]")


def branches(g, nodes, op="cond"):
    x = g.parameter(2, 64, 128)
    while g.count < nodes:
        x = control(g, block(g, x), op)
    return [x]


def loops(g, nodes):
    return branches(g, nodes, "while")


def one_loop(g, nodes):
    return [control(g, transformer(g, nodes)[0], "while")]


def carried(g, nodes):
    n = max(nodes // 3, 1)
    xs = [g.parameter(512, 512)[0] for _ in range(n)]
    types = ", ".join(["f32[512,512]"] * n)
    head = [f"n{i} = parameter index={i} : f32[512,512]" for i in range(n)]
    tested = [f"n{n} = sum n0 axes=[0,1] keep=false : f32[]", f"n{n + 1} = constant bits=3f800000 : f32[]",
              f"n{n + 2} = less n{n}, n{n + 1} : u8[]", f"return n{n + 2}"]
    made = [f"n{n + i} = sin n{(i + 1) % n} : f32[512,512]" for i in range(n)]
    made.append("return " + ", ".join(f"n{n + i}" for i in range(n)))
    for body in (tested, made):
        lines = "".join(f"  {line}\n" for line in head + body)
        g.regions.append(f"\nfunc f{len(g.regions) + 1}({types}) {{\n{lines}}}\n")
    loop, g.count = g.count, g.count + 1
    g.lines.append(f"  n{loop} = while {', '.join(f'n{x}' for x in xs)} regions=[f1,f2] : {types}")
    return [(f"{loop}.{i}",) for i in range(n)]


KINDS = {f.__name__: f for f in (chain, mlp, mlp_distinct, small_layers, transformer, wide, wide_distinct, branches,
                                     loops, one_loop, carried)}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in KINDS or not sys.argv[2].isdigit():
        sys.exit(__doc__)
    graph = Graph()
    sys.stdout.write(graph.text(KINDS[sys.argv[1]](graph, int(sys.argv[2]))))
