// Counts the operators that LibTorch runs, the bytes that they read and write, and the copies that the host waits for.
// models/nn/src/operators.rs is the other side; the two declare the same interface.
//
// An operator that has a kernel of its own for CPUs or CUDA is counted as a whole, whatever it calls inside. So are a few that have
// one for all devices and yet call others. The rest is made of others, and counts only if none of these did any work.

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>
#include <c10/core/CachingDeviceAllocator.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace {

using at::Tensor;

constexpr int32_t kOther = 0, kProduct = 1, kUpload = 2, kRead = 3;

// The same as `Call` on the other side.
struct Call {
  const char* name;
  double bytes;
  double operations;
  int32_t kind;
  bool waits;
  bool bf16;
};

std::mutex lock;
std::vector<Call> calls;
at::CallbackHandle handle = at::INVALID_CALLBACK_HANDLE;

// One operator that is running.
struct Frame : at::ObserverContext {
  Frame* outer = nullptr;
  // Inside an operator that is counted as a whole.
  bool hidden = false;
  bool known = false;
  bool whole = false;
  bool changes_inputs = false;
  bool worked_inside = false;
  bool asynchronous = false;
  std::vector<Tensor> inputs;
};

thread_local Frame* innermost = nullptr;

bool begins(std::string_view name, std::string_view with) { return name.substr(0, with.size()) == with; }
bool contains(std::string_view name, std::string_view part) { return name.find(part) != std::string_view::npos; }

void append(const c10::IValue& value, std::vector<Tensor>& tensors) {
  if (value.isTensor()) {
    Tensor tensor = value.toTensor();
    if (tensor.defined()) tensors.push_back(std::move(tensor));
  } else if (value.isList()) {
    for (const c10::IValue& element : value.toListRef()) append(element, tensors);
  }
}

bool does_its_own_work(const char* name) {
  for (std::string_view own : {"aten::sum", "aten::mean", "aten::stack", "aten::index_put_"}) {
    if (own == name) return true;
  }
  return false;
}

double count(const Tensor& tensor) { return static_cast<double>(tensor.numel()); }

// What is read or written of a tensor: an entry that stands for many counts once.
double bytes(const Tensor& tensor) {
  double entries = count(tensor);
  if (tensor.layout() == at::kStrided && entries > 0) {
    for (int64_t i = 0; i < tensor.dim(); i++) {
      if (tensor.stride(i) == 0) entries /= static_cast<double>(tensor.size(i));
    }
  }
  return entries * static_cast<double>(tensor.element_size());
}

bool share_memory(const Tensor& a, const Tensor& b) {
  return a.has_storage() && b.has_storage() &&
         a.storage().unsafeGetStorageImpl() == b.storage().unsafeGetStorageImpl();
}

// Whether it reads or writes numbers: allocation and views do not.
bool works(std::string_view name, const Frame& frame, const std::vector<Tensor>& outputs) {
  for (std::string_view idle : {"aten::empty", "aten::new_empty", "aten::resize", "aten::set_", "aten::detach_"}) {
    if (begins(name, idle)) return false;
  }
  if (frame.changes_inputs) return true;
  return std::any_of(outputs.begin(), outputs.end(), [&](const Tensor& output) {
    return output.numel() > 0 && std::none_of(frame.inputs.begin(), frame.inputs.end(), [&](const Tensor& input) {
             return share_memory(output, input);
           });
  });
}

// Multiplications and additions of products, convolutions and attention; 0 of others.
double operations(std::string_view name, const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs) {
  auto is = [&](std::string_view other) { return name == other; };
  bool backward = contains(name, "backward");
  if ((is("aten::mm") || is("aten::bmm")) && inputs.size() >= 2) return 2 * count(outputs[0]) * inputs[0].size(-1);
  if ((is("aten::addmm") || is("aten::baddbmm")) && inputs.size() >= 3) {
    return 2 * count(outputs[0]) * inputs[1].size(-1);
  }
  if ((is("aten::mv") || is("aten::dot")) && !inputs.empty()) return 2 * count(inputs[0]);
  if (contains(name, "conv") && inputs.size() >= (backward ? 3u : 2u)) {
    const Tensor& weight = inputs[backward ? 2 : 1];
    const Tensor& written = backward ? inputs[0] : outputs[0];
    if (weight.dim() < 3) return 0;
    return (backward ? 4 : 2) * count(written) * count(weight) / static_cast<double>(weight.size(0));
  }
  if (contains(name, "scaled_dot_product") && inputs.size() >= (backward ? 4u : 3u)) {
    const Tensor& queries = inputs[backward ? 1 : 0];
    const Tensor& keys = inputs[backward ? 2 : 1];
    if (queries.dim() != 4 || keys.dim() != 4) return 0;
    // Two products forward, five backward: the logits once more, and two for each of the former.
    return (backward ? 10 : 4) * count(queries) * static_cast<double>(keys.size(2));
  }
  return 0;
}

void keep(const Call& call) {
  std::lock_guard<std::mutex> guard(lock);
  calls.push_back(call);
}

// Counts an operator that has ended; whether it did any work.
bool counts(const at::RecordFunction& function, const Frame& frame) {
  const char* full_name = function.name();
  std::string_view name = full_name;
  const std::vector<Tensor>& inputs = frame.inputs;
  if (name == "aten::_local_scalar_dense") {
    double size = inputs.empty() ? 0 : static_cast<double>(inputs[0].element_size());
    if (!inputs.empty() && !inputs[0].is_cpu()) keep({full_name, size, 0, kRead, true, false});
    return true;
  }
  std::vector<Tensor> outputs;
  for (const c10::IValue& output : function.outputs()) append(output, outputs);
  if (outputs.empty() || !works(name, frame, outputs)) return false;
  bool copies = name == "aten::copy_" && inputs.size() >= 2;
  if (copies && inputs[0].device() != inputs[1].device()) {
    keep({full_name, bytes(inputs[0]), 0, inputs[0].is_cpu() ? kRead : kUpload, !frame.asynchronous, false});
    return true;
  }
  bool overwrites = copies || name == "aten::fill_" || name == "aten::zero_";
  double moved = 0;
  for (size_t i = overwrites ? 1 : 0; i < inputs.size(); i++) moved += bytes(inputs[i]);
  for (const Tensor& output : outputs) moved += bytes(output);
  double work = operations(name, inputs, outputs);
  bool bf16 = std::any_of(inputs.begin(), inputs.end(),
                          [](const Tensor& input) { return input.scalar_type() == at::kBFloat16; });
  keep({full_name, moved, work, work > 0 ? kProduct : kOther, false, bf16});
  return true;
}

void describe(const at::RecordFunction& function, Frame& frame) {
  std::optional<c10::OperatorName> name = function.operator_name();
  std::optional<c10::OperatorHandle> found;
  if (name.has_value()) found = c10::Dispatcher::singleton().findSchema(*name);
  if (!found.has_value()) return;
  frame.known = true;
  frame.whole = found->hasKernelForDispatchKey(c10::DispatchKey::CPU) ||
                found->hasKernelForDispatchKey(c10::DispatchKey::CUDA) || does_its_own_work(function.name());
  frame.changes_inputs = found->schema().is_mutable();
  auto inputs = function.inputs();
  const auto& arguments = found->schema().arguments();
  for (size_t i = 0; i < inputs.size(); i++) {
    // `out=` is written only, and is an output as well.
    if (i >= arguments.size() || !arguments[i].is_out()) append(inputs[i], frame.inputs);
  }
  // The third argument of a copy is whether the host goes on.
  frame.asynchronous = inputs.size() >= 3 && inputs[2].isBool() && inputs[2].toBool();
}

std::unique_ptr<at::ObserverContext> on_begin(const at::RecordFunction& function) {
  auto frame = std::make_unique<Frame>();
  frame->outer = innermost;
  frame->hidden = innermost != nullptr && (innermost->hidden || innermost->whole);
  if (!frame->hidden) describe(function, *frame);
  // Last: LibTorch drops the frame if something above throws.
  innermost = frame.get();
  return frame;
}

void on_end(const at::RecordFunction& function, at::ObserverContext* context) {
  // Null where the beginning threw.
  if (context == nullptr) return;
  auto* frame = static_cast<Frame*>(context);
  innermost = frame->outer;
  bool worked = frame->worked_inside;
  if (!frame->hidden && frame->known && (frame->whole || !worked)) worked = counts(function, *frame);
  if (frame->outer != nullptr && worked) frame->outer->worked_inside = true;
}

}  // namespace

extern "C" {

// Counts what this thread starts from here on, backward passes in threads of LibTorch's included.
void posenc_start_counting() noexcept {
  std::lock_guard<std::mutex> guard(lock);
  calls.clear();
  handle = at::addThreadLocalCallback(at::RecordFunctionCallback(on_begin, on_end)
                                          .needsInputs(true)
                                          .needsOutputs(true)
                                          .scopes({at::RecordScope::FUNCTION}));
}

void posenc_stop_counting() noexcept { at::removeCallback(handle); }

void posenc_each_call(void* to, void (*take)(void* to, const Call* call)) noexcept {
  std::lock_guard<std::mutex> guard(lock);
  for (const Call& call : calls) take(to, &call);
}

// The most bytes in use on a GPU since the process began, or since the last call that starts anew; -1 without one.
double posenc_peak_bytes(int device, bool starts_anew) {
  try {
    c10::DeviceAllocator* allocator = c10::getDeviceAllocator(c10::DeviceType::CUDA);
    auto index = static_cast<c10::DeviceIndex>(device);
    double peak = static_cast<double>(allocator->getDeviceStats(index).allocated_bytes[0].peak);
    if (starts_anew) allocator->resetPeakStats(index);
    return peak;
  } catch (...) {
    return -1;
  }
}
}
