#include "sim/run/least_energy.hpp"

#include "sim/core/dense.hpp"
#include "sim/core/error.hpp"

namespace pithball::sim {

std::vector<Points> least_energy_shapes(const Equilibrium& rest, const std::vector<Points>& pulls) {
  const auto count = static_cast<Index>(pulls.size());
  std::vector<Points> deflections(pulls.size());
  Eigen::MatrixXd flexibility(count, count);
  for (Index k = 0; k < count; ++k) {
    const std::string failure = rest.stiffness->solve(pulls[k], rest.modes, deflections[k]);
    if (!failure.empty())
      throw InvalidArgument({"", "", "must be a body whose deflection can be computed", failure, "pin the body"});
    for (Index j = 0; j < count; ++j) flexibility(j, k) = flat(pulls[j]).dot(flat(deflections[k]));
  }
  // Each row on the scale of its own deflection, so that stiff and soft places count alike.
  const Vector scale =
      flexibility.diagonal().cwiseMax(0).cwiseSqrt().unaryExpr([](double root) { return root > 0 ? 1 / root : 0.0; });
  const Eigen::MatrixXd scaled = scale.asDiagonal() * flexibility * scale.asDiagonal();
  const Spectrum modes = symmetric_spectrum(0.5 * (scaled + scaled.transpose()));
  constexpr double independent = 1e-10;  // of the largest, below which patterns measure the same
  const double least = independent * modes.values.cwiseAbs().maxCoeff();
  const Vector inverse = modes.values.unaryExpr([least](double value) { return value > least ? 1 / value : 0.0; });
  const Eigen::MatrixXd weights =
      scale.asDiagonal() * modes.vectors * inverse.asDiagonal() * modes.vectors.transpose() * scale.asDiagonal();
  std::vector<Points> shapes(pulls.size(), Points::Zero(3, count > 0 ? pulls.front().cols() : 0));
  for (Index k = 0; k < count; ++k)
    for (Index j = 0; j < count; ++j) shapes[k] += weights(j, k) * deflections[j];
  return shapes;
}

}  // namespace pithball::sim
