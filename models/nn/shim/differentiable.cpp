// An operation whose value and gradient the caller computes: what torch::autograd::Function is for, which tch does not
// reach. models/nn/src/differentiable.rs is the other side; the two declare the same interface.

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "message.h"

namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// What an operation may give at most, outputs and kept tensors together.
constexpr size_t kMostResults = 4;

// What the forward pass gives: first the outputs, then what the backward pass gets beside the inputs.
struct Results {
  Tensor* tensors[kMostResults];
  size_t outputs;
  size_t kept;
};

// What the other side does. Tensors it is given stay this side's; those it gives are this side's to delete. A message is
// null where all went well, and the other side's to free. `keeps` is whether a backward pass may follow. A gradient of an
// output that nothing depends on is null.
struct Callbacks {
  char* (*forward)(const void* operation, const Tensor* const* inputs, size_t count, bool keeps, Results* results);
  char* (*backward)(const void* operation, const Tensor* const* inputs, size_t count, const Tensor* const* kept,
                    size_t kept_count, const Tensor* const* gradients_of_outputs, size_t outputs, const bool* wanted,
                    Tensor** gradients);
  void (*drop)(void* operation);
  void (*free_message)(char* message);
};

struct Operation : torch::CustomClassHolder {
  Operation(void* operation, const Callbacks& callbacks) : operation(operation), callbacks(callbacks) {}
  ~Operation() override { callbacks.drop(operation); }

  void check(char* message) const {
    if (message == nullptr) return;
    std::string text(message);
    callbacks.free_message(message);
    throw std::runtime_error(text);
  }

  void* operation;
  Callbacks callbacks;
};

// Null for tensors that are not there.
std::vector<const Tensor*> addresses(at::TensorList tensors) {
  std::vector<const Tensor*> all;
  for (const Tensor& tensor : tensors) all.push_back(tensor.defined() ? &tensor : nullptr);
  return all;
}

Tensor take(Tensor* given) {
  if (given == nullptr) return Tensor();
  Tensor tensor = std::move(*given);
  delete given;
  return tensor;
}

struct Differentiable : torch::autograd::Function<Differentiable> {
  static variable_list forward(AutogradContext* context, c10::intrusive_ptr<Operation> operation, bool keeps,
                               at::TensorList inputs) {
    Results results{};
    auto given = addresses(inputs);
    operation->check(
        operation->callbacks.forward(operation->operation, given.data(), given.size(), keeps, &results));
    variable_list outputs, saved = inputs.vec();
    for (size_t i = 0; i < results.outputs; i++) outputs.push_back(take(results.tensors[i]));
    for (size_t i = 0; i < results.kept; i++) saved.push_back(take(results.tensors[results.outputs + i]));
    context->save_for_backward(std::move(saved));
    context->set_materialize_grads(false);
    context->saved_data["inputs"] = static_cast<int64_t>(inputs.size());
    context->saved_data["operation"] = c10::IValue::make_capsule(std::move(operation));
    return outputs;
  }

  static variable_list backward(AutogradContext* context, variable_list of_outputs) {
    auto operation = c10::static_intrusive_pointer_cast<Operation>(context->saved_data["operation"].toCapsule());
    variable_list saved = context->get_saved_variables();
    auto count = static_cast<size_t>(context->saved_data["inputs"].toInt());
    auto given = addresses(saved);
    auto of_given = addresses(of_outputs);
    auto wanted = std::make_unique<bool[]>(count);
    for (size_t i = 0; i < count; i++) wanted[i] = context->needs_input_grad(i);
    std::vector<Tensor*> gradients(count, nullptr);
    char* message =
        operation->callbacks.backward(operation->operation, given.data(), count, given.data() + count,
                                      given.size() - count, of_given.data(), of_given.size(), wanted.get(),
                                      gradients.data());
    variable_list all(2);  // the operation itself has none, nor has `keeps`
    for (Tensor* gradient : gradients) all.push_back(take(gradient));
    operation->check(message);
    return all;
  }
};

}  // namespace

extern "C" {

// Takes the operation over, whatever happens. On failure returns a message for posenc_free_message.
char* posenc_differentiable(void* operation, const Callbacks* callbacks, const Tensor* const* inputs, size_t count,
                            Results* results) {
  return message_of([&] {
    auto owned = c10::make_intrusive<Operation>(operation, *callbacks);
    variable_list all;
    for (size_t i = 0; i < count; i++) all.push_back(*inputs[i]);
    bool keeps = at::GradMode::is_enabled() &&
                 std::any_of(all.begin(), all.end(), [](const Tensor& input) { return input.requires_grad(); });
    variable_list outputs = Differentiable::apply(std::move(owned), keeps, at::TensorList(all));
    results->outputs = outputs.size();
    for (size_t i = 0; i < outputs.size(); i++) results->tensors[i] = new Tensor(std::move(outputs[i]));
  });
}

void posenc_free_message(char* message) { free(message); }
}
