//! How LibTorch computes on GPUs: switches of the whole process, which tch does not reach.

/// LibTorch's switches of arithmetic. Only operations on GPUs read the first; the second also chooses between algorithms on
/// CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arithmetic {
    /// Whether matrix products and convolutions of f32 tensors round their operands to TF32 (10 bits of 23), which tensor
    /// cores multiply.
    pub tf32: bool,
    /// Whether only algorithms run that give the same bits each time. An operation without one is an error of LibTorch's.
    /// cuBLAS also needs the variable `CUBLAS_WORKSPACE_CONFIG` before CUDA starts.
    pub deterministic: bool,
}

impl Arithmetic {
    /// Sets the switches of this process. cuDNN's search for the fastest algorithm, which depends on timing, is off in
    /// either case.
    pub fn set(self) {
        // SAFETY: plain values; the shim calls setters that do not throw for them.
        unsafe { posenc_set_arithmetic(self.tf32, self.deterministic) };
    }

    /// The switches of this process; `None` if products and convolutions, or LibTorch and cuDNN, differ.
    pub fn of_process() -> Option<Self> {
        let mut switches = [false; SWITCHES];
        // SAFETY: the shim writes as many switches as there are places.
        unsafe { posenc_arithmetic(switches.as_mut_ptr()) };
        let [products, convolutions, algorithms, cudnn] = switches;
        let agree = products == convolutions && algorithms == cudnn;
        agree.then_some(Self { tf32: products, deterministic: algorithms })
    }
}

/// How many switches the shim reads.
const SWITCHES: usize = 4;

unsafe extern "C" {
    fn posenc_set_arithmetic(tf32: bool, deterministic: bool);
    fn posenc_arithmetic(switches: *mut bool);
}

#[cfg(test)]
mod tests {
    use super::*;
    use tch::{Device, Kind, Tensor};

    #[test]
    fn products_and_convolutions_have_one_switch_and_cpus_ignore_it() {
        assert_eq!(Arithmetic::of_process(), None, "LibTorch itself begins with TF32 in convolutions only");
        let x = Tensor::arange(64_i64, (Kind::Float, Device::Cpu)).view([8, 8]).sin();
        let product = || Vec::<f32>::try_from(x.matmul(&x).view(-1)).expect("numbers");
        let plain = product();
        for tf32 in [true, false] {
            for deterministic in [true, false] {
                let wanted = Arithmetic { tf32, deterministic };
                wanted.set();
                assert_eq!(Arithmetic::of_process(), Some(wanted));
                assert_eq!(product(), plain);
            }
        }
    }
}
