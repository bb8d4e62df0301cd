#![no_main]

posenc_fuzz::target!(laws::pgn);
