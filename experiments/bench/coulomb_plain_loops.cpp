#include "experiments/bench/coulomb_plain_loops.hpp"

#include "experiments/bench/coulomb_native_loop.hpp"
#include "sim/core/parallel_for.hpp"

namespace pithball::experiments {
namespace {

using sim::Index;

/// Calls work(begin, end) for ranges that cover 0 ≤ i < n.
template <class Work>
void for_stretches(Index n, const Work& work) {
  constexpr Index stretch = 32;
  const double pairs = static_cast<double>(n) * static_cast<double>(n);
  sim::parallel_for((n + stretch - 1) / stretch, pairs,
                    [&](Index k) { work(k * stretch, std::min(n, (k + 1) * stretch)); });
}

void eigen_field(const sim::Points& x, const sim::Vector& q, sim::Points& e) {
  const Index n = x.cols();
  const std::vector<sim::Vec3> position(x.colwise().begin(), x.colwise().end());
  for_stretches(n, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const auto& xi = position[i];
      sim::Vec3 sum = sim::Vec3::Zero();
      for (Index j = 0; j < n; ++j) {
        if (j == i) continue;
        const sim::Vec3 r = xi - position[j];
        const double r2 = r.squaredNorm();
        sum += q[j] / (r2 * std::sqrt(r2)) * r;
      }
      e.col(i) = sim::coulomb_constant * sum;
    }
  });
}

#ifdef PITHBALL_NATIVE_LOOP

void native_field(const sim::Points& x, const sim::Vector& q, sim::Points& e) {
  const Eigen::Matrix<double, Eigen::Dynamic, 3> by_axis = x.transpose();
  Eigen::Matrix<double, Eigen::Dynamic, 3> field(x.cols(), 3);
  for_stretches(x.cols(), [&](Index begin, Index end) {
    native_loop_field(begin, end, x.cols(), by_axis.col(0).data(), by_axis.col(1).data(), by_axis.col(2).data(),
                      q.data(), field.col(0).data(), field.col(1).data(), field.col(2).data());
  });
  e = sim::coulomb_constant * field.transpose();
}

/// Whether this machine has the instruction sets of the machine that built the program.
bool native_loop_runs_here() {
  const auto has = [](unsigned set, bool here) { return !(native_loop_instructions & set) || here; };
  return has(NativeSse42, __builtin_cpu_supports("sse4.2")) && has(NativeAvx, __builtin_cpu_supports("avx")) &&
         has(NativeAvx2, __builtin_cpu_supports("avx2")) && has(NativeFma, __builtin_cpu_supports("fma")) &&
         has(NativeBmi2, __builtin_cpu_supports("bmi2")) && has(NativeAvx512f, __builtin_cpu_supports("avx512f")) &&
         has(NativeAvx512dq, __builtin_cpu_supports("avx512dq")) &&
         has(NativeAvx512vl, __builtin_cpu_supports("avx512vl")) &&
         has(NativeAvx512bw, __builtin_cpu_supports("avx512bw"));
}

#endif

}  // namespace

std::vector<PlainLoop> plain_loops() {
  std::vector<PlainLoop> loops{{"plain_eigen", "array of Eigen::Vector3d, -O2", eigen_field}};
#ifdef PITHBALL_NATIVE_LOOP
  if (native_loop_runs_here())
    loops.push_back({"plain_native", "structure of arrays, -O3 -march=native -ffast-math", native_field});
#endif
  return loops;
}

}  // namespace pithball::experiments
