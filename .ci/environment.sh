# Sourced by .ci/run and by each of .ci/steps: the root of the clone, and the environment that all of them run in.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
unset PITHBALL_DATA
export LANG=C.UTF-8
