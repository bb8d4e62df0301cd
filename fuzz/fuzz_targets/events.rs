#![no_main]

posenc_fuzz::target!(cells::events);
