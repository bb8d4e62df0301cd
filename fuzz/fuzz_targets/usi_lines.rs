#![no_main]

posenc_fuzz::target!(laws::usi_lines);
