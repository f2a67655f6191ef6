#include "experiments/demonstrations/demonstration.hpp"

#include <complex>

#include "sim/neighbors/neighbor_registry.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

/// Returns ψ₆ = |Σ_j e^{6iθ_j}|/n_j over the neighbors j of a particle within 1.5 σ (Nelson, Halperin 1979), averaged
/// over the particles that have six neighbors. It is 1 in a triangular lattice.
double bond_order(const sim::State& state) {
  const Index n = state.x.cols();
  const auto list = sim::make_neighbor_search("auto")->find(state.x, 1.5);
  std::vector<std::complex<double>> sum(n);
  std::vector<int> count(n);
  for (Index i = 0; i < n; ++i)
    for (const auto j : list->row(i)) {
      const sim::Vec3 r = state.x.col(j) - state.x.col(i);
      const std::complex<double> bond = std::polar(1.0, 6 * std::atan2(r[2], r[0]));  // equal for both ends of the bond
      sum[i] += bond, sum[j] += bond;
      ++count[i], ++count[j];
    }
  double order = 0, six = 0;
  for (std::size_t i = 0; i < sum.size(); ++i)
    if (count[i] == 6) order += std::abs(sum[i]) / 6, ++six;
  return six > 0 ? order / six : 0;
}

}  // namespace

std::vector<Claim> gas_to_solid_claims(const DemonstrationRun& run) {
  const sim::State& end = run.trajectory.states.back();
  const double order = bond_order(end);
  const double temperature = end.v.squaredNorm() / (2 * static_cast<double>(end.x.cols()));  // two dimensions
  return {claim_within("bond order of particles with six neighbors", order, 1, 0.1, "", "a triangular lattice"),
          claim_within("temperature at the end", temperature, 0, 0.2, "ε/k_B", "below the triple point of 0.4")};
}

}  // namespace pithball::experiments
