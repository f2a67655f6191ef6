// Compiled with its own options, see CMakeLists.txt. Includes only its header, which gives the reason.
#include "experiments/bench/coulomb_native_loop.hpp"

namespace pithball::experiments {

extern const unsigned native_loop_instructions = 0
#ifdef __SSE4_2__
                                                 | NativeSse42
#endif
#ifdef __AVX__
                                                 | NativeAvx
#endif
#ifdef __AVX2__
                                                 | NativeAvx2
#endif
#ifdef __FMA__
                                                 | NativeFma
#endif
#ifdef __BMI2__
                                                 | NativeBmi2
#endif
#ifdef __AVX512F__
                                                 | NativeAvx512f
#endif
#ifdef __AVX512DQ__
                                                 | NativeAvx512dq
#endif
#ifdef __AVX512VL__
                                                 | NativeAvx512vl
#endif
#ifdef __AVX512BW__
                                                 | NativeAvx512bw
#endif
    ;

void native_loop_field(long begin, long end, long n, const double* x, const double* y, const double* z, const double* q,
                       double* ex, double* ey, double* ez) {
  for (long i = begin; i < end; ++i) {
    const double xi = x[i], yi = y[i], zi = z[i];
    double sx = 0, sy = 0, sz = 0;
    for (long j = 0; j < n; ++j) {
      const double rx = xi - x[j], ry = yi - y[j], rz = zi - z[j];
      const double r2 = rx * rx + ry * ry + rz * rz;
      const double weight = r2 > 0 ? q[j] / (r2 * __builtin_sqrt(r2)) : 0;
      sx += weight * rx;
      sy += weight * ry;
      sz += weight * rz;
    }
    ex[i] = sx;
    ey[i] = sy;
    ez[i] = sz;
  }
}

}  // namespace pithball::experiments
