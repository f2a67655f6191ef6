#!/usr/bin/env bash
# Runs a command for a person who waits: one line says what is done, how far it is and how long it took; what the command
# prints goes to a log, whose end is shown if it fails.
# usage: run_quietly.sh LOG WHAT COMMAND...
set -uo pipefail
log=$1 what=$2
shift 2

begin=$SECONDS
begins_at=$(($(wc -l < "$log") + 1))
"$@" >> "$log" 2>&1 < /dev/null &
child=$!
trap 'kill "$child" 2>/dev/null' EXIT

# Ninja's "[12/70] Building …" is how far a build is.
progress() { tail -n +"$begins_at" "$log" | grep -oE '^\[[0-9]+/[0-9]+\]' | tail -n 1; }
if [ -t 1 ]; then
  while kill -0 "$child" 2>/dev/null; do
    printf '\r\033[K%s %s %d s' "$what" "$(progress)" "$((SECONDS - begin))"
    sleep 1
  done
  printf '\r\033[K'
else
  echo "$what ..."
fi
wait "$child"
status=$?
trap - EXIT
if [ "$status" -ne 0 ]; then
  tail -n +"$begins_at" "$log" | tail -n 40 >&2
  echo "$what failed; all that was printed: $log" >&2
else
  echo "$what: done in $((SECONDS - begin)) s"
fi
exit "$status"
