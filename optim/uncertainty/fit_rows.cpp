#include "optim/uncertainty/fit_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pithball::optim {
namespace {

/// The 75 % point of the normal distribution: half of all normal numbers are below it in size.
constexpr double normal_quartile = 0.6744897501960817;

/// The two eigenvalues of W of one sample with residuals r.
struct SampleWeight {
  double across = 1, along = 1;
  SampleWeight(const RobustLoss& loss, double square)
      : across(loss.derivative(square)), along(std::max(0.0, across + 2 * loss.bend(square) * square)) {}
};

/// Calls `visit(j, first row, rows of j, W_j)` for each sample.
template <class Visit>
void for_each_sample(const FitRows& fit, Visit visit) {
  for (std::size_t j = 0; j + 1 < fit.order.samples.size(); ++j) {
    const Index first = fit.order.samples[j], count = fit.order.samples[j + 1] - first;
    visit(static_cast<Index>(j), first, count, SampleWeight(fit.loss, fit.r.segment(first, count).squaredNorm()));
  }
}

/// Multiplies the rows of one sample by the matrix with these eigenvalues across r and along it.
void scale_sample(const Eigen::Ref<const Vector>& r, double across, double along, Eigen::Ref<Eigen::MatrixXd> rows) {
  const double square = r.squaredNorm();
  const Eigen::RowVectorXd part = r.transpose() * rows;
  rows *= across;
  if (square > 0) rows += (along - across) / square * r * part;
}

}  // namespace

Scores compute_scores(const FitRows& fit) {
  Scores scores{fit.r, fit.J, Vector::Ones(static_cast<Index>(fit.order.samples.size()) - 1), 1};
  if (fit.loss.kind == RobustLoss::Kind::None) return scores;
  double trace = 0;
  for_each_sample(fit, [&](Index j, Index first, Index count, const SampleWeight& w) {
    scores.weight[j] = w.across;
    scores.psi.segment(first, count) *= w.across;
    trace += w.across * static_cast<double>(count - 1) + w.along;
    scale_sample(fit.r.segment(first, count), std::sqrt(w.across), std::sqrt(w.along),
                 scores.rows.middleRows(first, count));
  });
  scores.curvature = trace / static_cast<double>(fit.r.size());
  return scores;
}

Eigen::MatrixXd weigh_derivatives(const FitRows& fit) {
  Eigen::MatrixXd rows = fit.J;
  if (fit.loss.kind == RobustLoss::Kind::None) return rows;
  for_each_sample(fit, [&](Index, Index first, Index count, const SampleWeight& w) {
    scale_sample(fit.r.segment(first, count), w.across, w.along, rows.middleRows(first, count));
  });
  return rows;
}

Vector row_weights(const FitRows& fit, const Scores& scores) {
  Vector weight(fit.r.size());
  for (Index j = 0; j < scores.weight.size(); ++j) {
    const auto sample = static_cast<std::size_t>(j);
    const Index first = fit.order.samples[sample], end = fit.order.samples[sample + 1];
    weight.segment(first, end - first).setConstant(std::sqrt(scores.weight[j]));
  }
  return weight;
}

double median_scale(const Vector& r) {
  if (r.size() == 0) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> sizes(r.begin(), r.end());
  for (double& x : sizes) x = std::abs(x);
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  double median = *middle;
  if (sizes.size() % 2 == 0) median = (median + *std::max_element(sizes.begin(), middle)) / 2;
  return median / normal_quartile;
}

}  // namespace pithball::optim
