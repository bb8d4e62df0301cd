#!/bin/sh
# Makes the committed exports again.
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 1
rm -r "$here/exports" && exec "$here/export.sh" "$here/exports" \
    chess-shaw=chess-shaw \
    shogi-relative_bias=shogi-relative_bias \
    chess-cls=chess-absolute-input+cls_map-all-chessformer-activationgelu-flagsraw-full_movenone-half_movenone-piecesten-cls_tokens_white-uci_1968_sid \
    chess-residual=chess-none-resnet-activationmish-embedding2-hidden8-policyconvolution-channels4-lc0_112-from_to \
    shogi-dlshogi=shogi-none-resnet-activationrelu-inittorch-policyplanes-stemparted-dlshogi_62_57-dlshogi_2187 \
    shogi-transformer=shogi-absolute-input+dynamic_relative-bottleneck-4-resnet_transformer-layers2-inittorch-stemparted-dlshogi_62_57-dlshogi_2187
