#include "optim/uncertainty/sample_settling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pithball::optim {
namespace {

/// Growth over the last fifth of the iterations below which an error is settled, of a sample's 16 %, and the share of
/// values that need not be.
constexpr double settled_growth = 1.1, unsettled_share = 1e-2;
/// Growth of the probes from which a direction without information may be behind it, and curvature along what has
/// grown, beside the largest, from which it is one.
constexpr double suspicious_growth = 1.5, no_information = 1e-10;
constexpr Index least_iterations = 8;

}  // namespace

std::size_t a_fifth_back(Index n) {
  return static_cast<std::size_t>(std::max<Index>(0, n - std::max<Index>(2, n / 5) - 1));
}

Vector mean_roots(const Eigen::MatrixXd& columns) {
  return (columns.rowwise().squaredNorm() / static_cast<double>(columns.cols())).cwiseSqrt();
}

bool SampleSettling::is_settled(Index k) const { return !(growth_[k] > settled_growth); }

bool SampleSettling::is_enough(const BlockIterate& at) {
  x_ = scaling_.stretch(at.x);
  errors_.push_back(mean_roots(x_.leftCols(columns_.samples)));
  probes_.push_back(at.x.rightCols(columns_.probes));
  left_.push_back(at.residual.rightCols(columns_.probes));
  if (at.iteration == 1) first_ = at.residual.norm();
  const std::size_t before = a_fifth_back(at.iteration);
  growth_ = errors_.back().cwiseQuotient(errors_[before].cwiseMax(std::numeric_limits<double>::min()));
  const bool is_growing = probes_.back().norm() > suspicious_growth * probes_[before].norm();
  look_for_null(at, before, is_growing);
  if (at.residual.norm() <= std::numeric_limits<double>::epsilon() * first_) return true;
  const Index unsettled = (growth_.array() > settled_growth).count();
  const bool has_settled = static_cast<double>(unsettled) <= unsettled_share * static_cast<double>(free_);
  return at.iteration >= least_iterations && has_settled && (has_null() || !is_growing);
}

void SampleSettling::look_for_null(const BlockIterate& at, std::size_t before, bool is_growing) {
  if (at.flat.cols() > 0) null_ = at.flat / at.flat.norm();
  if (!is_growing) return;
  const Eigen::MatrixXd grown = probes_.back() - probes_[before];
  const double square = grown.squaredNorm();
  // What the residual fell by is H̃ times what has grown.
  const double curvature = grown.cwiseProduct(left_[before] - left_.back()).sum();
  if (std::abs(curvature) <= no_information * at.largest * square) null_ = grown / std::sqrt(square);
}

}  // namespace pithball::optim
