#!/usr/bin/env bash
# Compiles and runs the test programs with gcc and freezes what they print and return.
#
#   bless.sh           write the .expected files of every program and link case
#   bless.sh --check   compare instead of writing; status 1 if anything differs
#   bless.sh NAME…     only the programs and link cases of these names (no directory, no .c)
#
# An .expected file holds the exact standard output and then a last line `exit N`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

flags=(-std=gnu11 -O0 -fwrapv -fno-strict-aliasing -w)
check=no
if [[ ${1-} == --check ]]; then
    check=yes
    shift
fi
wanted=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

is_wanted() {
    [[ ${#wanted[@]} -eq 0 ]] && return 0
    local name
    for name in "${wanted[@]}"; do
        [[ $name == "$1" ]] && return 0
    done
    return 1
}

fail() {
    echo "$*" >&2
    failures=$((failures + 1))
}

# models FILE…: the word sizes a program is for.
models() {
    if grep -qhx '// data-model: LP64' "$@"; then
        echo 64
    elif grep -qhx '// data-model: ILP32' "$@"; then
        echo 32
    else
        echo 64 32
    fi
}

# bless STEM FILE…: freezes STEM.64.expected and STEM.32.expected.
bless() {
    local stem=$1 model status
    shift
    for model in $(models "$@"); do
        local expected=$stem.$model.expected
        if ! gcc "${flags[@]}" "-m$model" "$@" -o "$work/program" 2>"$work/messages"; then
            fail "$stem: gcc -m$model refuses it"
            cat "$work/messages" >&2
            continue
        fi
        status=0
        timeout 10 "$work/program" >"$work/actual" </dev/null || status=$?
        if [[ $status -ge 124 ]]; then
            fail "$stem: status $status with -m$model"
            continue
        fi
        if [[ -s $work/actual && -n $(tail -c 1 "$work/actual") ]]; then
            fail "$stem: the output does not end with a newline"
            continue
        fi
        echo "exit $status" >>"$work/actual"
        if [[ $check == no ]]; then
            cp "$work/actual" "$expected"
        elif ! diff -u "$expected" "$work/actual" >&2; then
            fail "$stem: -m$model differs"
        fi
    done
}

for file in *.c; do
    is_wanted "${file%.c}" && bless "${file%.c}" "$file"
done
for directory in link/*/; do
    directory=${directory%/}
    [[ -d $directory ]] || continue
    is_wanted "${directory#link/}" && bless "$directory/run" "$directory"/*.c
done
for directory in link_errors/*/; do
    directory=${directory%/}
    [[ -d $directory ]] || continue
    is_wanted "${directory#link_errors/}" || continue
    for model in 64 32; do
        if gcc "${flags[@]}" "-m$model" "$directory"/*.c -o "$work/program" 2>/dev/null; then
            fail "$directory: gcc -m$model accepts it"
        fi
    done
done
[[ $failures -eq 0 ]] || exit 1
