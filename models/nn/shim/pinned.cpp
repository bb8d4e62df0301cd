// Pinned memory, which tch asks for with an argument that LibTorch warns of. models/nn/src/pinned.rs is the other side; the two
// declare the same interface.

#include <ATen/core/Tensor.h>

#include "message.h"

extern "C" {

// On failure returns a message for posenc_free_message.
char* posenc_pinned(const at::Tensor* tensor, at::Tensor** pinned) {
  return message_of([&] { *pinned = new at::Tensor(tensor->pin_memory()); });
}
}
