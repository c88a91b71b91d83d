#!/usr/bin/env bash
# Programs that the tests use and pip cannot install: chromium, java, postgres. Called by `make test` with the names
# of the programs that it needs. Installs the Debian package of a missing program if permitted, else prints the command.
set -euo pipefail

found() {
  case $1 in
    chromium) command -v chromium || command -v chromium-browser || command -v google-chrome ;;
    java) java -version ;;  # macOS has a `java` that only prints where to download it
    postgres) command -v postgres || command -v pg_ctl || compgen -G '/usr/lib/postgresql/*/bin/postgres' ;;
    *) echo "$0: unknown program $1; choose among chromium, java and postgres" >&2 && exit 2 ;;
  esac
}

package() {
  case $1 in
    chromium) echo chromium ;;
    java) echo default-jre-headless ;;
    postgres) echo postgresql ;;
  esac
}

missing=()
packages=()
for program in "$@"; do
  case $program in chromium | java | postgres) ;; *) found "$program" ;; esac
  if ! found "$program" >/dev/null 2>&1; then
    missing+=("$program")
    packages+=("$(package "$program")")
  fi
done
[ ${#missing[@]} -eq 0 ] && exit 0

install="apt-get install -y --no-install-recommends ${packages[*]}"
if command -v apt-get >/dev/null 2>&1; then
  as_root=""
  [ "$(id -u)" -eq 0 ] || as_root="sudo -n"
  if [ -z "$as_root" ] || sudo -n true 2>/dev/null; then
    echo "installing ${packages[*]}"
    $as_root apt-get update -q
    exec $as_root env DEBIAN_FRONTEND=noninteractive $install
  fi
fi
echo "missing: ${missing[*]}. Install with: sudo apt-get update && sudo $install" >&2
exit 1
