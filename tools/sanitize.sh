#!/usr/bin/env bash
# Build the kernel with AddressSanitizer and UBSan and run its tests; called by `make sanitize`.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$(realpath -s "${1:-python3}")
build=build/sanitize
PATH="$(dirname "$python"):$PATH" cmake -S native -B "$build" -G Ninja -DCLUSTERMARK_SANITIZE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DPython_EXECUTABLE="$python" -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)" >/dev/null
PATH="$(dirname "$python"):$PATH" cmake --build "$build"
# a copy of the package with the instrumented kernel, so that the installed one stays as it is
rm -rf "$build/package" && mkdir -p "$build/package"
cp -r src/clustermark "$build/package/"
rm -f "$build"/package/clustermark/_kernel*.so && cp "$build"/_kernel*.so "$build/package/clustermark/"
export PYTHONPATH="$PWD/$build/package"
"$python" - "$PYTHONPATH" <<'PROGRAM'
import importlib.util, sys
found = importlib.util.find_spec("clustermark").origin
sys.exit(None if found.startswith(sys.argv[1]) else f"{found} hides the package with the instrumented kernel")
PROGRAM
ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
  LD_PRELOAD="$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libubsan.so)" \
  "$python" -m pytest -q -p no:cacheprovider tests/kernel tests/tables/test_contingency.py
