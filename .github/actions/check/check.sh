#!/bin/sh
# Checks kernels, and writes what a workflow shows: annotations at the lines, a summary, a SARIF file.
# Usage: check.sh RESULTS SARIF SUMMARY FAIL_ON BASELINE WORD…
#   RESULTS: the folder for records. SARIF, SUMMARY: files that are written and appended to. FAIL_ON: fault, hazard, note
#   or new. BASELINE: the file of known findings; empty: none. WORD…: files, folders and other options of
#   `lanescope check`. The exit status is 1 if the report fails.
set -eu
if [ $# -lt 6 ]; then
  sed -n '3,6s/^# //p' "$0" >&2
  exit 2
fi
results=$1 sarif=$2 summary=$3 fail_on=$4 baseline=$5
shift 5
status=0
lanescope check "$@" --results "$results" --fail-on "$fail_on" ${baseline:+--baseline "$baseline"} || status=$?
if [ "$status" -gt 1 ] || [ ! -d "$results" ]; then
  exit "$status" # the command line is wrong, and the message above says why
fi
report() {
  lanescope report "$results" --fail-on "$fail_on" ${baseline:+--baseline "$baseline"} "$@" || [ $? = 1 ]
}
report --format github
report --format sarif -o "$sarif"
report --format markdown >>"$summary"
exit "$status"
