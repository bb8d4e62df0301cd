#![no_main]

posenc_fuzz::target!(networks::network);
