//! Texts of the shim: what went wrong, and what a store holds.

use std::ffi::{CStr, c_char};
use tch::TchError;

/// A text of the shim, which is then freed.
pub(super) fn taken(text: *mut c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the shim's texts are C strings that are ours to hand back.
    let copy = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    // SAFETY: it is handed back once.
    unsafe { posenc_free_message(text) };
    Some(copy)
}

/// The error that a function of the shim returns as a text.
pub(super) fn checked(message: *mut c_char) -> Result<(), TchError> {
    taken(message).map_or(Ok(()), |text| Err(TchError::Torch(text)))
}

// SAFETY: the shim is compiled with this crate and declares the same function.
unsafe extern "C" {
    fn posenc_free_message(message: *mut c_char);
}
