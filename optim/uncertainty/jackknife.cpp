#include "optim/uncertainty/jackknife.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

namespace pithball::optim {
namespace {

constexpr double untold = std::numeric_limits<double>::quiet_NaN();

/// Whether anything that is left of `H` determines the parameters that it is about; a parameter that only one recording
/// moves stays where it is when that one is left out.
Vector solve_rest(const Eigen::MatrixXd& H, const Vector& scale, const Vector& g) {
  constexpr double least_part = 1e-9;  // of what all recordings told
  std::vector<Index> left;
  for (Index k = 0; k < g.size(); ++k)
    if (H(k, k) > least_part * scale[k]) left.push_back(k);
  Vector shift = Vector::Constant(g.size(), untold);
  if (left.empty()) return shift;
  const Vector root = scale.cwiseSqrt();
  Eigen::MatrixXd part(left.size(), left.size());
  Vector there(left.size());
  for (std::size_t a = 0; a < left.size(); ++a) {
    there[a] = g[left[a]] / root[left[a]];
    for (std::size_t b = 0; b < left.size(); ++b) part(a, b) = H(left[a], left[b]) / (root[left[a]] * root[left[b]]);
  }
  const Eigen::LDLT<Eigen::MatrixXd> factor(part);
  if (!(factor.vectorD().minCoeff() > least_part * factor.vectorD().maxCoeff())) return shift;
  const Vector moved = factor.solve(there);
  for (std::size_t a = 0; a < left.size(); ++a) shift[left[a]] = moved[a] / root[left[a]];
  return shift;
}

void find_most_influential(const Eigen::MatrixXd& H, const Vector& formal, Jackknife& jackknife) {
  for (Index j = 0; j < jackknife.recordings; ++j) {
    Vector shift = jackknife.shifts.col(j);
    for (Index k = 0; k < shift.size(); ++k)  // what only this recording tells of does not speak of its influence
      if (std::isnan(shift[k]) || jackknife.telling[k] < 2) shift[k] = 0;
    const double distance = shift.dot(H * shift) / static_cast<double>(shift.size());
    if (!(distance > jackknife.cook_distance)) continue;
    jackknife.cook_distance = distance;
    jackknife.most_influential = j;
    shift.cwiseAbs().cwiseQuotient(formal).maxCoeff(&jackknife.moved_most);
  }
}

}  // namespace

Jackknife compute_jackknife(const FitRows& fit, const Scores& scores, const Posterior& posterior) {
  const std::vector<FrameRows> spans = recording_rows(fit.order);
  const Index P = fit.parameters();
  Jackknife jackknife;
  jackknife.recordings = static_cast<Index>(spans.size());
  jackknife.standard_error = Vector::Constant(P, untold);
  jackknife.telling.assign(static_cast<std::size_t>(P), 0);
  const FitCurvature H(fit, scores, posterior);
  if (!H.ok() || jackknife.recordings < least_recordings) return jackknife;
  const Vector scale = H.matrix().diagonal().cwiseMax(std::numeric_limits<double>::min());
  jackknife.shifts.resize(P, jackknife.recordings);
  Eigen::ArrayXXd tells(P, jackknife.recordings);
  for (Index j = 0; j < jackknife.recordings; ++j) {
    const FrameRows& span = spans[j];
    const Eigen::MatrixXd own = H.data_part(span.first, span.end);
    jackknife.shifts.col(j) = solve_rest(H.matrix() - own, scale, H.score(span.first, span.end));
    for (Index k = 0; k < P; ++k) {
      tells(k, j) = own(k, k) > 0 ? 1 : 0;
      jackknife.telling[k] += own(k, k) > 0 ? 1 : 0;
    }
  }
  for (Index k = 0; k < P; ++k) {
    const auto G = static_cast<double>(jackknife.telling[k]);
    if (jackknife.telling[k] < least_recordings || !posterior.formal.identifiable[k]) continue;
    const Eigen::ArrayXd part = tells.row(k).transpose(), shift = jackknife.shifts.row(k).transpose().array();
    const double mean = (part * shift).sum() / G;
    jackknife.standard_error[k] = std::sqrt((G - 1) / G * (part * (shift - mean).square()).sum());
  }
  find_most_influential(H.matrix(), posterior.formal.standard_error, jackknife);
  return jackknife;
}

}  // namespace pithball::optim
