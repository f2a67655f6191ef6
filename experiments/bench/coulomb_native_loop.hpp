#pragma once
// Nothing of the standard library here: coulomb_native_loop.cpp is compiled for the builder's own processor, and an
// inline function from a header could become, at link time, the copy that the whole program uses.

namespace pithball::experiments {

/// Instruction sets that a compiler may use for the builder's processor.
enum NativeInstructions : unsigned {
  NativeSse42 = 1,
  NativeAvx = 2,
  NativeAvx2 = 4,
  NativeFma = 8,
  NativeBmi2 = 16,
  NativeAvx512f = 32,
  NativeAvx512dq = 64,
  NativeAvx512vl = 128,
  NativeAvx512bw = 256,
};

/// The instruction sets for which `native_loop_field` was compiled: a number, so that reading it is safe on every
/// machine.
extern const unsigned native_loop_instructions;

/// e_i = Σ_{j≠i} q_j r/|r|³, r = x_i − x_j, over structures of arrays: the loop that a compiler vectorizes best
/// (-O3 -march=native -ffast-math), for begin ≤ i < end. Crashes on a machine that lacks one of
/// `native_loop_instructions`.
void native_loop_field(long begin, long end, long n, const double* x, const double* y, const double* z, const double* q,
                       double* ex, double* ey, double* ez);

}  // namespace pithball::experiments
