#!/bin/sh
# export.sh DIR [NAME=ROW…]: writes networks of exports.yaml and architectures.yaml with random weights into DIR, all by the names
# of their rows with activations, or these rows by these names without. POSENC names the program. commit.sh makes the committed ones.
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 1
root=$here/../../..
posenc=${POSENC:-$root/target/debug/posenc}
out=$1 && shift && mkdir -p "$out" && out=$(CDPATH= cd -- "$out" && pwd) || exit 1
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
for file in exports architectures; do
    sed "s|DATA|$root/experiments/data|g" "$here/$file.yaml" >"$file.yaml" || exit 1
    "$posenc" run "$file.yaml" --smoke --out runs || exit 1
done

# write CELL NAME [OPTION]
write() {
    cell=$1 name=$2 && shift 2
    "$posenc" export "$cell" --out "$out/$name" --random 1 --positions "$here/${name%%-*}.txt" "$@" || exit 1
    rm "$out/$name/moves.tsv"
    # The dataset's place is this machine's.
    sed -i 's|^data: .*/|data: |' "$out/$name/config.yaml"
}

for cell in runs/smoke-*/*/seed-0; do
    row=$(basename "$(dirname "$cell")" | sed 's/-[0-9a-f]*$//')
    [ $# -gt 0 ] || write "$cell" "$row" --activations
    for wanted; do
        [ "${wanted#*=}" != "$row" ] || write "$cell" "${wanted%%=*}"
    done
done
