#!/bin/sh
# Sets up what LookBench needs beside the code: .venv, Label Studio in an environment of its own, a Chromium.
# Run again, it reuses all that is there. Arguments: extras to install, "all" by default.
set -eu
cd "$(dirname "$0")"
extras=${1:-all}
fail() { echo "setup: $1" >&2; exit 1; }

fits() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; }
python=
for candidate in ${PYTHON:-python3.11 python3.12 python3.13 python3}; do
  if fits "$candidate"; then python=$candidate; break; fi
done
[ -n "$python" ] || fail "${PYTHON:+PYTHON=$PYTHON is not one: }no Python 3.11 to 3.13 found; install one (Debian: apt-get install python3) or name it: make demo PYTHON=/path/to/python3.11"
"$python" -c 'import venv, ensurepip' 2>/dev/null || fail "$python has no venv module; install it (Debian: apt-get install python3-venv)"
command -v cc >/dev/null 2>&1 || command -v gcc >/dev/null 2>&1 || fail "no C compiler found, which a few packages need; install one (Debian: apt-get install gcc)"

# An environment is finished when it has a stamp of what it was made from; "dev" holds all that "all" holds.
environment() { # folder, name of the stamp, files it was made from, --, the arguments of pip
  folder=$1 stamp=$1/.installed-$2 made=; shift 2
  while [ "$1" != -- ]; do made="$made $(cksum < "$1")"; shift; done
  shift
  for known in "$stamp" "$folder/.installed-dev"; do
    [ "$(cat "$known" 2>/dev/null)" = "$made" ] && return
  done
  echo "setup: installing $folder (minutes the first time)"
  [ -x "$folder/bin/python" ] || "$python" -m venv "$folder"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@" ||
    fail "could not install $folder; see pip's words above, mend the cause and run again: what is done is kept"
  printf %s "$made" > "$stamp"
}
environment .venv "$extras" constraints.txt pyproject.toml harness/pyproject.toml -- \
  -c constraints.txt -e ./harness -e ".[$extras]"
environment .venv-labelstudio server constraints-labelstudio.txt -- -c constraints-labelstudio.txt label-studio

if [ -z "${LOOKBENCH_CHROMIUM:-}" ] && ! command -v chromium >/dev/null 2>&1 &&
   ! command -v chromium-browser >/dev/null 2>&1 && ! command -v google-chrome >/dev/null 2>&1 &&
   ! ls "${PLAYWRIGHT_BROWSERS_PATH:-$HOME/.cache/ms-playwright}"/chromium-* >/dev/null 2>&1; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "setup: installing chromium"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; } >/dev/null ||
      fail "apt-get could not install chromium; install a Chromium and name it in LOOKBENCH_CHROMIUM"
  else
    .venv/bin/playwright install chromium ||
      fail "no Chromium found and Playwright could not fetch one; install one and name it in LOOKBENCH_CHROMIUM"
  fi
fi
