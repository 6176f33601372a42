"""The peers: XLA through JAX, and torch. Each has `prepare`, which compiles ahead, and `measure`. A peer that is not
installed raises ImportError; one that finds no GPU computes on the CPU, and its `device` says so."""
import concurrent.futures
import contextlib
import functools
import os
import time

import twins


class Missing(Exception):
    """The peer has no such function."""


def function(table, graph, entry):
    """Of those that have a shape but no input of it, for the shape that the graph gives."""
    f = table[graph]
    return functools.partial(f, shape=tuple(entry["results"][0]["shape"])) if graph in twins.SHAPED else f


def timed(call, wait, warm_up, seconds, each):
    """us a call, as vkrun measures it: batches to warm up, then as many calls as the pace of the last says, with one
    wait; or with a wait each. Returns the us, the calls, and the seconds of the first."""

    def batch(count):
        start = time.perf_counter()
        for _ in range(count):
            call()
            if each:
                wait()
        wait()
        return time.perf_counter() - start

    first = batch(1)
    pace, last, end = first, 1, time.perf_counter() + warm_up
    while (left := end - time.perf_counter()) > 0:
        last = max(1, min(last * 2, int(left / pace)))
        pace = batch(last) / last
    calls = max(1, min(10**6, int(seconds / pace)))
    return batch(calls) / calls * 1e6, calls, first


class Xla:
    name = "xla"

    def __init__(self):
        # memory that is taken as it is needed leaves some for vkrun
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax

        jax.config.update("jax_default_matmul_precision", "highest")
        self.jax, self.version = jax, jax.__version__
        self.device = str(jax.devices()[0])
        self.table = twins.of(jax.numpy, jax)
        self.ready = {}

    def wide(self):
        """In which f64 is not made f32; per thread."""
        enable = getattr(self.jax, "enable_x64", None)
        if enable is None:
            from jax.experimental import enable_x64 as enable
        return enable(True)

    def types_of(self, entry):
        is_wide = any(p["type"] == "f64" for p in entry["params"])
        return self.wide() if is_wide else contextlib.nullcontext()

    def compile(self, graph, entry):
        jnp = self.jax.numpy
        types = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "s32": "int32",
                 "u32": "uint32", "c64": "complex64"}
        f = self.jax.jit(function(self.table, graph, entry), donate_argnums=tuple(range(entry["donated"])))
        with self.types_of(entry):
            specs = [self.jax.ShapeDtypeStruct(tuple(p["shape"]), getattr(jnp, types[p["type"]])) for p in entry["params"]]
            start = time.perf_counter()
            compiled = f.lower(*specs).compile()
            return compiled, time.perf_counter() - start

    def prepare(self, graphs, threads):
        """Compiles them all, in threads: a compile beside others takes longer than alone."""
        with concurrent.futures.ThreadPoolExecutor(max(1, threads)) as pool:
            for graph, entry in graphs.items():
                if graph in self.table:
                    self.ready[graph] = pool.submit(self.compile, graph, entry)

    def measure(self, row, entry, arrays, options):
        if row.graph not in self.ready:
            raise Missing
        compiled, compile_s = self.ready[row.graph].result()
        jnp, state = self.jax.numpy, {}
        with self.types_of(entry):
            args = [jnp.asarray(x) for x in arrays]
            args = [x.astype(jnp.bfloat16) if p["type"] == "bf16" else x for x, p in zip(args, entry["params"])]

            def call():
                state["out"] = compiled(*args)
                for i in range(entry["donated"]):
                    args[i] = state["out"][i]

            def wait():
                self.jax.block_until_ready(state["out"])

            us, calls, first = timed(call, wait, options.warm_up, options.seconds, row.wait)
        return {"us": us, "calls": calls, "first_s": first, "compile_s": compile_s}

    def reference(self, row, entry, arrays):
        """The outputs in f64; on the device of JAX."""
        with self.wide():
            args = [x.astype("f8") if x.dtype.kind == "f" else x for x in arrays]
            args = [x.astype("c16") if x.dtype.kind == "c" else x for x in args]
            out = self.jax.jit(function(self.table, row.graph, entry))(*args)
            return [self.jax.device_get(x) for x in self.jax.tree.leaves(out)]


class Torch:
    name = "torch"

    def __init__(self):
        import torch

        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        torch.set_grad_enabled(False)
        self.torch, self.version = torch, torch.__version__
        self.on = "cuda" if torch.cuda.is_available() else "cpu"
        self.device = torch.cuda.get_device_name() if self.on == "cuda" else "cpu"
        self.table = twins.torch_table(torch)

    def prepare(self, graphs, threads):
        pass

    def measure(self, row, entry, arrays, options):
        if row.graph not in self.table:
            raise Missing
        torch, f, state = self.torch, function(self.table, row.graph, entry), {}
        args = [torch.from_numpy(x.astype("i8") if x.dtype.kind == "u" else x).to(self.on) for x in arrays]
        args = [x.to(torch.bfloat16) if p["type"] == "bf16" else x for x, p in zip(args, entry["params"])]

        def call():
            state["out"] = f(*args)

        def wait():
            if self.on == "cuda":
                torch.cuda.synchronize()

        us, calls, first = timed(call, wait, options.warm_up, options.seconds, row.wait)
        args.clear()
        state.clear()
        if self.on == "cuda":
            torch.cuda.empty_cache()
        return {"us": us, "calls": calls, "first_s": first}


PEERS = (Xla, Torch)
