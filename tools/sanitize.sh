#!/usr/bin/env bash
# Build the kernel twice and run its tests. `make sanitize` calls it with the Python of a virtual environment.
#   odr: all files are linked as one, so that the compiler finds two types with the same name and refuses the kernel.
#   sanitize: with AddressSanitizer and UBSan. The tests of the core run first, then those from Python.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$(realpath -s "${1:-python3}")
export PATH="$(dirname "$python"):$PATH"

build() {
  local name=$1
  shift
  cmake -S native -B "build/$name" -G Ninja "$@" \
    -DPython_EXECUTABLE="$python" -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)" >/dev/null
  cmake --build "build/$name"
}

build odr -DCMAKE_BUILD_TYPE=Release -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON \
  -DCMAKE_CXX_FLAGS="-Werror=odr -Werror=lto-type-mismatch"
build sanitize -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCLUSTERMARK_SANITIZE=ON -DCLUSTERMARK_TESTS=ON
UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 ctest --test-dir build/sanitize --output-on-failure

# a copy of the package with the instrumented kernel, so that the installed package does not change
package=build/sanitize/package
rm -rf "$package" && mkdir -p "$package"
cp -r src/clustermark "$package/"
rm -f "$package"/clustermark/_kernel*.so && cp build/sanitize/_kernel*.so "$package/clustermark/"
export PYTHONPATH="$PWD/$package"
"$python" - "$PYTHONPATH" <<'PROGRAM'
import importlib.util, sys
found = importlib.util.find_spec("clustermark").origin
sys.exit(None if found.startswith(sys.argv[1]) else f"{found} hides the package with the instrumented kernel")
PROGRAM
run_tests() {
  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
    LD_PRELOAD="$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libubsan.so)" \
    "$python" -m pytest -q -p no:cacheprovider --hypothesis-profile=instrumented "$@"
}

run_tests tests/kernel tests/labels/test_changing_labels.py tests/tables/test_contingency.py
# tests of the rest of the kernel: distances and densities, sweeps with counts, trees, equivalent cells, classes of points
run_tests -m "not (slow or peer or engine or browser)" tests/evaluation/internal tests/evaluation/sweeps tests/evaluation/trees \
  tests/uncertainty/test_leave_one_out.py tests/evaluation/ranking/test_comparison.py
