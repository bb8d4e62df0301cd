// LibTorch's switches of arithmetic, which tch does not reach. models/nn/src/arithmetic.rs is the other side; the two declare
// the same interface.

#include <ATen/Context.h>

extern "C" {

// LibTorch keeps every TF32 switch twice, for its older and its newer interface, and refuses to answer where the two
// disagree. The older setters write both, so only they are used. cuDNN's convolutions begin with TF32 on, products with it
// off.
void posenc_set_arithmetic(bool tf32, bool deterministic) noexcept {
  at::Context& context = at::globalContext();
  context.setAllowTF32CuBLAS(tf32);
  context.setAllowTF32CuDNN(tf32);
  context.setDeterministicAlgorithms(deterministic, /*warn_only=*/false);
  context.setDeterministicCuDNN(deterministic);
  context.setBenchmarkCuDNN(false);
  // Attention then is flash attention or the memory-efficient kernel on every GPU, both of which can be deterministic.
  context.setSDPUseCuDNN(false);
  // Filling new tensors finds errors of LibTorch's own; it decides no number and takes time.
  context.setDeterministicFillUninitializedMemory(false);
}

// The switches as operations read them: products and convolutions in TF32, deterministic algorithms, cuDNN's own switch.
void posenc_arithmetic(bool* switches) noexcept {
  const at::Context& context = at::globalContext();
  auto is_tf32 = [&](at::Float32Op op) {
    return context.float32Precision(at::Float32Backend::CUDA, op) == at::Float32Precision::TF32;
  };
  switches[0] = is_tf32(at::Float32Op::MATMUL);
  switches[1] = is_tf32(at::Float32Op::CONV);
  switches[2] = context.deterministicAlgorithms();
  switches[3] = context.deterministicCuDNN();
}
}
