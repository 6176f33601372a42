#!/bin/sh
# The tooling of `make bench-gpu`, on five small graphs: test/bench/gpu/bench_gpu_test.py, with a Python that has NumPy.
cd "$(dirname "$0")/../.." || exit 2
for python in python3 /usr/bin/python3; do
    "$python" -c 'import numpy' 2> /dev/null && exec "$python" test/bench/gpu/bench_gpu_test.py "$PWD/${B:-_build}"
done
echo "NOT RUN: no python3 with NumPy (Debian: python3-numpy)"
exit 77
