#pragma once

namespace gloo::transport {
class Device;
// Only LibTorch makes and drops them.
struct UnboundBuffer {
  virtual ~UnboundBuffer() = 0;
};
}  // namespace gloo::transport
