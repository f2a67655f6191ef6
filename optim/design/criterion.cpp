#include "optim/design/criterion.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

namespace pithball::optim {
namespace {

constexpr double least_pivot = 1e-7;
constexpr double singular = std::numeric_limits<double>::infinity();

}  // namespace

double log_mean_error(const Criterion& criterion, const Eigen::MatrixXd& information) {
  const auto q = static_cast<Index>(criterion.of.size());
  const Vector scale = information.diagonal().cwiseSqrt();
  if (!(scale.minCoeff() > 0) || !scale.allFinite()) return singular;
  const Vector inverse = scale.cwiseInverse();
  const Eigen::LLT<Eigen::MatrixXd> root(inverse.asDiagonal() * information * inverse.asDiagonal());
  if (root.info() != Eigen::Success || !(root.matrixLLT().diagonal().minCoeff() > least_pivot)) return singular;
  // C = WᵀW with L W = D⁻¹E, where E has the unit vectors of the chosen entries.
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(information.rows(), q);
  for (Index k = 0; k < q; ++k) W(criterion.of[k], k) = inverse[criterion.of[k]];
  root.matrixL().solveInPlace(W);
  const auto count = static_cast<double>(q);
  if (criterion.optimality == Optimality::A) return std::log(W.squaredNorm() / count) / 2;
  const Eigen::LLT<Eigen::MatrixXd> block(W.transpose() * W);
  return block.info() == Eigen::Success ? block.matrixLLT().diagonal().array().log().sum() / count : singular;
}

}  // namespace pithball::optim
