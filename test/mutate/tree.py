"""A worker's copy of the sources, in which mutants are built and judged. The checkout itself is never touched."""
import hashlib
import os
import re
import resource
import shutil
import signal
import subprocess
import time

from areas import B, TSAN

FOLDERS = "compiler runtime shaders templates lib mk test examples .ci".split()
FILES = "Makefile mix.exs README.md .formatter.exs LICENSE".split()
# A mutant that calls with pointers of other types is one that the compiler refuses.
WARN = "-Werror=incompatible-pointer-types -Werror=int-conversion -Werror=implicit-function-declaration -Wno-unused"
GIB = 1 << 30


def sources(root):
    """What is copied, as paths in the tree, sorted."""
    found = [f for f in FILES if os.path.exists(f"{root}/{f}")]
    for folder in FOLDERS:
        for at, folders, files in os.walk(f"{root}/{folder}"):
            folders[:] = [d for d in folders if d not in ("__pycache__", "_build", "mutate")]
            found += [os.path.relpath(f"{at}/{f}", root) for f in files if not f.endswith((".so", ".pyc"))]
    return sorted(found)


def digest(root):
    """What is judged and what judges, in a word."""
    total = hashlib.sha256()
    for path in sources(root):
        with open(f"{root}/{path}", "rb") as f:
            total.update(path.encode() + b"\0" + hashlib.sha256(f.read()).digest())
    return total.hexdigest()[:12]


def objects_under(root, folder):
    """Of C sources in the folder and all below it, from the root."""
    found = [os.path.relpath(os.path.join(at, f), root)
             for at, _, files in os.walk(f"{root}/{folder}") for f in files if f.endswith(".o")]
    return sorted(found)


class Tree:
    def __init__(self, root, at, caches, threads, flags=""):
        self.root, self.at, self.caches, self.threads = root, at, caches, threads
        self.processes = set()
        self.is_stopped = False
        self.changed = {}
        self.pristine = None
        cc = os.environ.get("CC", "cc")
        self.cc = (f"ccache {cc}" if shutil.which("ccache") and "ccache" not in cc else cc) + flags

    # ---- files ----

    def sync(self):
        """Makes the copy equal to the checkout; what is equal keeps its time, so that nothing is built again."""
        wanted = sources(self.root)
        for path in set(sources(self.at)) - set(wanted) if os.path.isdir(self.at) else ():
            os.unlink(f"{self.at}/{path}")
        for path in wanted:
            here, there = f"{self.root}/{path}", f"{self.at}/{path}"
            with open(here, "rb") as f:
                data = f.read()
            if os.path.exists(there):
                with open(there, "rb") as f:
                    if f.read() == data:
                        continue
            os.makedirs(os.path.dirname(there), exist_ok=True)
            with open(there, "wb") as f:
                f.write(data)
            shutil.copymode(here, there)

    def copy(self, base):
        """Makes the copy equal to another one, with what is built there and its times."""
        shutil.rmtree(self.at, ignore_errors=True)
        subprocess.run(["cp", "-a", base.at, self.at], check=True)
        for program in (f"{B}/vkcompile", f"{B}/test/e2e/graph_test", f"{B}/nx_vulkan.so"):
            if os.path.exists(f"{self.at}/{program}"):
                linked = subprocess.run(["ldd", f"{self.at}/{program}"], capture_output=True, text=True).stdout
                path = re.search(r"libvkc\.so => (\S+)", linked)
                if not path or not os.path.samefile(path.group(1), f"{self.at}/{B}/libvkc.so"):
                    raise SystemExit(f"{self.at}/{program} does not take the library beside it:\n{linked}")

    def apply(self, path, edits):
        """Puts a mutant in. Lines that moved are found by their text. False if they are gone."""
        with open(f"{self.at}/{path}") as f:
            text = f.read()
        lines = text.split("\n")
        for shift in sorted(range(-edits[-1][0], len(lines) + 1), key=abs):
            if all(0 <= n - 1 + shift < len(lines) and lines[n - 1 + shift] == old for n, old, _ in edits):
                break
        else:
            return False
        for n, _, new in edits:
            lines[n - 1 + shift] = new
        self.changed[path] = text
        self._write(path, "\n".join(lines))
        return True

    def revert(self):
        for path, text in self.changed.items():
            self._write(path, text)
        self.changed = {}

    def _write(self, path, text):
        with open(f"{self.at}/{path}", "w") as f:
            f.write(text)

    # ---- commands ----

    def run(self, command, limit, environment=None, memory=8 * GIB):
        """(exit status, or None after `limit` seconds; output; seconds). Without `memory` there is no limit of it."""
        def child():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if memory:
                resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            resource.setrlimit(resource.RLIMIT_FSIZE, (GIB, GIB))
        env = {
            **os.environ,
            "FAIL_FAST": "1",
            "XDG_CACHE_HOME": self.caches,
            "MESA_SHADER_CACHE_DIR": self.caches,
            "MIX_ENV": "test",
            "ERL_FLAGS": f"+S {self.threads} " + os.environ.get("ERL_FLAGS", ""),
            "LP_NUM_THREADS": str(self.threads),  # of lavapipe: workers do not stand in each other's way
            "NX_VULKAN_NIF": f"{self.at}/{B}/nx_vulkan",
            "NX_VULKAN_ORACLE": f"{self.at}/{B}/test/random/oracle",
            "CCACHE_BASEDIR": self.at,
            "RANDOM_PROGRAMS": "100",
            "WARM_CALLS": "2000",
            **(environment or {}),
        }
        libraries = "/usr/local/lib/elixir-libs"
        if "ERL_LIBS" not in env and os.path.isdir(libraries):
            env["ERL_LIBS"] = libraries
        start = time.monotonic()
        if self.is_stopped:
            return None, "", 0
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        process = subprocess.Popen(command, cwd=self.at, env=env, start_new_session=True, preexec_fn=child, **pipes)
        self.processes.add(process)
        try:
            output, _ = process.communicate(timeout=limit)
            status = process.returncode
        except subprocess.TimeoutExpired:
            self._kill(process)
            output, _ = process.communicate()
            status = None
        finally:
            self._kill(process)  # whatever it left running
            self.processes.discard(process)
        return status, output.decode(errors="replace"), time.monotonic() - start

    @staticmethod
    def _kill(process):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass

    def stop(self):
        """Ends what runs in it, and lets nothing begin; what comes of that means nothing."""
        self.is_stopped = True
        for process in list(self.processes):
            self._kill(process)

    def make(self, *targets, where="", jobs=None):
        """Builds; (succeeded, output)."""
        options = ["-s", "-k", f"-j{jobs}"] if jobs else ["-s", f"-j{self.threads}"]
        settings = ["SHARED=1", f"CC={self.cc}", "CFLAGS=-O2 -g0 -DARENA_FENCE", f"WARN={WARN}"]
        if where == "san":
            settings = ["SAN=1", "SHARED=1", f"CC={self.cc}", "CFLAGS=-O1 -g0", f"WARN={WARN}"]
        if where in ("runtime", "tsan"):
            language = "-std=c11 -D_POSIX_C_SOURCE=200809L"
            at, opt = (TSAN, "-O1 -g0 -fsanitize=thread") if where == "tsan" else (f"{B}/test/runtime", "-O1 -g0")
            settings = [f"B={self.at}/{at}", f"CC={self.cc}", f"OPT={opt}", f"WARN={language} {WARN}"]
        if where == "numerics":
            settings = [f"OUT={self.at}/{B}/test/numerics", f"CC={self.cc}", "CFLAGS=-O1", f"SHADERC={self._shaderc()}"]
        made_in = {"runtime": "test/runtime", "tsan": "test/runtime", "numerics": "test/numerics"}
        folder = ["-C", made_in[where]] if where in made_in else []
        if folder:
            targets = [f"{self.at}/{t}" for t in targets]
        status, output, _ = self.run(["make", *options, *folder, *settings, *targets], 900, memory=16 * GIB)
        return status == 0, output

    def _shaderc(self):
        with open(f"{self.at}/{B}/shaderc.mk") as f:
            return f.read().split(":=", 1)[1].strip()

    def build(self, kind):
        """Builds what mutants of a kind are part of, and tells what came of it: (succeeded, output, fingerprint)."""
        if kind == "elixir":
            code = ('for f <- Path.wildcard("_build/test/lib/nx_vulkan/ebin/*.beam"), '
                    'do: IO.puts(Base.encode16(elem(elem(:beam_lib.md5(to_charlist(f)), 1), 1)))')
            status, output, _ = self.run(["mix", "run", "--no-start", "-e", code], 300, memory=64 * GIB)
            return status == 0, output, "\n".join(re.findall(r"^[0-9A-F]{32}$", output, re.M))
        libraries = [f"{B}/libvkc.so", f"{B}/libvkr.so"]
        ok, output = self.make(*libraries)
        if not ok:
            return False, output, None
        return True, output, self._objects()

    def _objects(self):
        """What the libraries are made of, without the checksum of the compiler's text."""
        total = hashlib.sha256()
        for path in [f"{B}/embedded.o", *self._found(f"{B}/compiler"), *self._found(f"{B}/runtime")]:
            with open(f"{self.at}/{path}", "rb") as f:
                total.update(path.encode() + b"\0" + hashlib.sha256(f.read()).digest())
        return total.hexdigest()

    def _found(self, folder):
        return objects_under(self.at, folder)

    def build_all(self, suites, jobs):
        """Builds all that suites run, with so many processes; what goes wrong is found again when it is needed."""
        if any(s.where == "elixir" for s in suites):
            self.make("nif", f"{B}/test/random/oracle", jobs=jobs)
            self.build("elixir")
        for where in ("", "san", "runtime", "tsan", "numerics"):
            targets = sorted({t for s in suites if s.where == where for t in s.targets})
            if targets:
                self.make(*targets, where=where, jobs=jobs)

    def prepare(self, suite):
        """Builds what a suite runs; (succeeded, output)."""
        if suite.where == "elixir":
            return self.make("nif", f"{B}/test/random/oracle")
        return self.make(*suite.targets, where=suite.where)

    def judge(self, suite, limit):
        memory = {"elixir": 64 * GIB, "san": 0, "tsan": 0}.get(suite.where, 8 * GIB)  # a sanitizer reserves terabytes
        return self.run(suite.command, limit, suite.environment, memory=memory)
