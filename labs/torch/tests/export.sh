#!/bin/sh
# export.sh DIR [ROW…]: writes networks of exports.yaml with random weights into DIR, all with activations, or these rows
# without. POSENC names the program. The committed ones: tests/export.sh tests/exports chess-shaw shogi-relative_bias
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 1
root=$here/../../..
posenc=${POSENC:-$root/target/debug/posenc}
out=$1 && shift && mkdir -p "$out" && out=$(CDPATH= cd -- "$out" && pwd) || exit 1
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
sed "s|DATA|$root/experiments/data|g" "$here/exports.yaml" >"$work/exports.yaml" || exit 1
cd "$work" && "$posenc" run exports.yaml --smoke --out runs || exit 1
for cell in runs/smoke-exports/*/seed-0; do
    row=$(basename "$(dirname "$cell")" | sed 's/-[0-9a-f]*$//')
    case " $* " in
    "  ") options=--activations ;;
    *" $row "*) options= ;;
    *) continue ;;
    esac
    # shellcheck disable=SC2086  No option or one.
    "$posenc" export "$cell" --out "$out/$row" --random 1 --positions "$here/${row%%-*}.txt" $options || exit 1
    rm "$out/$row/moves.tsv"
    # The dataset's place is this machine's.
    sed -i 's|^data: .*/|data: |' "$out/$row/config.yaml"
done
