#!/usr/bin/env bash
# Installs what is missing of the named groups of debian-packages.txt; silent when nothing is.
# usage: install_packages.sh GROUP...
set -euo pipefail
list="$(dirname "${BASH_SOURCE[0]}")/debian-packages.txt"

packages=()
for group in "$@"; do
  mapfile -t -O "${#packages[@]}" packages < <(
    awk -v wanted="[$group]" '{sub(/#.*/, "")} /^\[/ {inside = ($1 == wanted); next} inside && NF {print $1}' "$list")
done

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  cat >&2 <<TEXT
make deps installs Debian packages, and this system has no apt-get. Install the counterparts of these packages
(purposes in third_party/debian-packages.txt), then run 'make build DEPS=' and the like, which leave this step out:
  ${packages[*]}
TEXT
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
[ "${#missing[@]}" -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "make deps needs root to install packages and found no sudo; as root, run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
install=("${as_root[@]}" apt-get install --yes --no-install-recommends "${missing[@]}")

echo "Installing: ${missing[*]}"
# The package index may be absent or out of date: ask for a new one only when the plan or the installation fails.
apt-get install --simulate --no-install-recommends "${missing[@]}" >/dev/null 2>&1 && "${install[@]}" && exit 0
# An earlier installation that was interrupted stops apt until it is finished; where there is none, these two do nothing.
"${as_root[@]}" dpkg --configure -a || true
"${as_root[@]}" apt-get update
"${as_root[@]}" apt-get install --yes --fix-broken --no-install-recommends
"${install[@]}"
