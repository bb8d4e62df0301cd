// How an action of C++ fails for Rust: no exception may pass through its functions.
#pragma once

#include <cstring>
#include <exception>

// A message for posenc_free_message, or null where the action succeeds.
template <typename Action>
char* message_of(Action action) noexcept {
  try {
    action();
    return nullptr;
  } catch (const std::exception& error) {
    return strdup(error.what());
  } catch (...) {
    return strdup("LibTorch threw something other than a std::exception");
  }
}
