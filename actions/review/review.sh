#!/usr/bin/env bash
# The steps of the action. All of them run, also after one has failed; then the status is 1.
set -uo pipefail
read -r -a rules <<< "${RULES:?say which rules: RULES=rules/}"
read -r -a tests <<< "${TESTS:-}"
read -r -a events <<< "${EVENTS:-}"
read -r -a options <<< "${OPTIONS:-}"
base=${BASE:-origin/main}
output=${OUTPUT:-holdsfor-diff.md}
status=0

files=()
while IFS= read -r -d '' file; do
  files+=("$file")
done < <(find "${rules[@]}" -type f \( -name '*.prolog' -o -name '*.pl' -o -name '*.dmtl' \) -print0 | sort -z)
if [ ${#files[@]} -eq 0 ]; then
  echo "no rule files in ${rules[*]}" >&2
  exit 1
fi

holdsfor check "${files[@]}" || status=1
holdsfor fmt --check "${files[@]}" || status=1
if [ ${#tests[@]} -gt 0 ]; then
  holdsfor test "${tests[@]}" || status=1
fi
if [ ${#events[@]} -gt 0 ]; then
  given=()
  for file in "${events[@]}"; do
    given+=(--events "$file")
  done
  if holdsfor diff "$base" "${given[@]}" ${options[@]+"${options[@]}"} --format markdown --output "$output" -- "${rules[@]}"; then
    cat "$output"
    if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
      cat "$output" >> "$GITHUB_STEP_SUMMARY"
    fi
    if [ -n "${GITHUB_OUTPUT:-}" ]; then
      echo "comment=$output" >> "$GITHUB_OUTPUT"
    fi
  else
    status=1
  fi
fi
exit $status
