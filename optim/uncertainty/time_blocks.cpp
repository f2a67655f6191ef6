#include "optim/uncertainty/time_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "optim/uncertainty/autocorrelation.hpp"
#include "optim/uncertainty/significance.hpp"

namespace pithball::optim {
namespace {

constexpr double half_turn = 3.14159265358979323846;
/// A column counts as dependent if less than this fraction of it is unexplained by the others, which is rounding error.
constexpr double least_rest = 1e-8;
/// Largest number of lags in κ: ρ accounts for slower correlation.
constexpr double longest_window = 128;

/// A linearized fit whose values may change.
struct ChangingFit {
  Vector r;                   ///< √ρ′ r, R
  Eigen::MatrixXd base;       ///< derivatives along the directions that the fit determines: R×rank
  Eigen::MatrixXd own;        ///< derivatives with respect to each value that is not held, scaled to length 1: R×C
  Vector length;              ///< of these columns before scaling, C
  Vector place;               ///< relative time s of the frame of each row, from 0 to 1
  std::vector<Index> values;  ///< the entries of θ in `own`
};

/// Returns the relative position of each row between the start and the end of its recording, from its frame number.
Vector find_frame_places(const RowOrder& order, Index rows) {
  std::vector<double> counts(order.recordings.size(), 0);
  for (const FrameRows& frame : order.frames) counts[frame.recording] += 1;
  Vector place(rows);
  double number = 0;
  Index recording = -1;
  for (const FrameRows& frame : order.frames) {
    if (frame.recording != recording) number = 0;
    recording = frame.recording;
    place.segment(frame.first, frame.end - frame.first).setConstant((number + 0.5) / counts[recording]);
    number += 1;
  }
  return place;
}

ChangingFit prepare_changes(const FitRows& fit, const Scores& scores, const Posterior& posterior) {
  const Vector weight = row_weights(fit, scores);
  ChangingFit changing;
  changing.r = weight.cwiseProduct(fit.r);
  const Eigen::MatrixXd J = weight.asDiagonal() * fit.J;
  changing.base = J * posterior.formal.root;
  for (Index k = 0; k < J.cols(); ++k)
    if (posterior.formal.root.row(k).squaredNorm() > 0 && J.col(k).squaredNorm() > 0) changing.values.push_back(k);
  const auto C = static_cast<Index>(changing.values.size());
  changing.own.resize(J.rows(), C);
  changing.length.resize(C);
  for (Index c = 0; c < C; ++c) {
    const auto column = J.col(changing.values[c]);
    changing.length[c] = column.norm();
    changing.own.col(c) = column / changing.length[c];
  }
  changing.place = find_frame_places(fit.order, J.rows());
  return changing;
}

/// Returns the columns G of all trends, those of the first trend first: R×(K·C).
Eigen::MatrixXd make_trends(const ChangingFit& changing, Index trends) {
  const Index C = changing.own.cols();
  Eigen::MatrixXd G(changing.own.rows(), trends * C);
  for (Index j = 0; j < trends; ++j) {
    const Eigen::ArrayXd shape = (half_turn * static_cast<double>(j + 1) * changing.place.array()).cos();
    G.middleCols(j * C, C) = changing.own.array().colwise() * shape;
  }
  return G;
}

/// Returns κ: the variance of the sum of scores relative to that of independent frames.
double color_of_scores(const RowOrder& order, const Vector& g) {
  const double square = g.squaredNorm();
  const auto F = static_cast<double>(g.size()), G = static_cast<double>(order.recordings.size());
  double largest = 1;
  for (Index lags = 1; static_cast<double>(lags) <= std::clamp(F / G / 8, 1.0, longest_window); lags *= 2) {
    double sum = square;
    for (Index lag = 1; lag <= lags; ++lag)
      for (Index f = lag; f < g.size(); ++f)
        if (order.frames[f].recording == order.frames[f - lag].recording)
          sum += 2 * (1 - static_cast<double>(lag) / static_cast<double>(lags + 1)) * g[f] * g[f - lag];
    largest = std::max(largest, sum / square / (1 - static_cast<double>(lags + 1) / F));
  }
  return largest;
}

/// The variance of zᵀr̃, estimated from e, the part of r̃ that the columns do not explain.
struct ScoreVariance {
  double variance = 0;
  double frames = 0;  ///< effective number of frames, (Σ|z_f|²)²/Σ|z_f|⁴
};

ScoreVariance find_variance(const RowOrder& order, const Vector& z, const Vector& e, Index columns) {
  Vector g(order.frames.size()), information(g.size());
  for (Index f = 0; f < g.size(); ++f) {
    const FrameRows& frame = order.frames[f];
    const auto part = z.segment(frame.first, frame.end - frame.first);
    g[f] = part.dot(e.segment(frame.first, frame.end - frame.first));
    information[f] = part.squaredNorm();
  }
  if (!(g.squaredNorm() > 0)) return {};
  const auto F = static_cast<double>(g.size());
  const double scale = F / (F - static_cast<double>(columns));
  return {scale * color_of_scores(order, g) * g.squaredNorm(),
          information.sum() * information.sum() / information.squaredNorm()};
}

/// The rows of a linearized fit, filtered for correlated noise.
struct FilteredFit {
  const RowOrder& order;
  const ChangingFit& changing;
  double rho;                    ///< of the filter
  Vector r = {};                 ///< the residuals
  Vector e = {};                 ///< their part orthogonal to all columns
  Eigen::MatrixXd columns = {};  ///< orthonormal, of all values and trends
  Eigen::MatrixXd fitted = {};   ///< likewise, of the values alone

  Eigen::MatrixXd filtered(const Eigen::MatrixXd& rows) const { return filter_rows(order.previous, rows, rho); }
};

/// Filters the fit; `columns` are those of all values and trends.
FilteredFit filter_fit(const RowOrder& order, const ChangingFit& changing, const Eigen::MatrixXd& columns) {
  Eigen::MatrixXd with_residuals(columns.rows(), columns.cols() + 1);
  with_residuals << columns, changing.r;
  FilteredFit fit{order, changing,
                  upper_autocorrelation({{order.previous, with_residuals}}, static_cast<Index>(order.frames.size()))};
  fit.r = fit.filtered(changing.r);
  fit.columns = independent_basis(fit.filtered(columns));
  fit.fitted = independent_basis(fit.filtered(changing.base));
  fit.e = fit.r - fit.columns * (fit.columns.transpose() * fit.r);
  return fit;
}

/// Estimates the c-th value separately in the two halves, with all others in common.
void compare_halves(const FilteredFit& fit, Index c, ValueChange& found) {
  const ChangingFit& changing = fit.changing;
  const Index R = changing.r.size();
  Eigen::MatrixXd rest(R, changing.own.cols() - 1), halves(R, 2);
  rest << changing.own.leftCols(c), changing.own.rightCols(changing.own.cols() - 1 - c);
  const Eigen::ArrayXd early = (changing.place.array() < 0.5).cast<double>();
  halves << (changing.own.col(c).array() * early).matrix(), (changing.own.col(c).array() * (1 - early)).matrix();
  halves = fit.filtered(halves);
  const Eigen::MatrixXd whole = halves;
  if (rest.cols() > 0) {
    const Eigen::MatrixXd basis = independent_basis(fit.filtered(rest));
    halves -= basis * (basis.transpose() * halves);
  }
  for (Index half = 0; half < 2; ++half) {
    Vector z = halves.col(half);
    const Vector other = halves.col(1 - half);
    if (other.squaredNorm() > 0) z -= other * (other.dot(z) / other.squaredNorm());
    const double square = z.squaredNorm();
    if (!(square > least_rest * whole.col(half).squaredNorm())) continue;
    const ScoreVariance v = find_variance(fit.order, z, fit.e, changing.own.cols() + 1);
    HalfEstimate& estimate = half == 0 ? found.first_half : found.second_half;
    estimate.shift = -z.dot(fit.r) / square / changing.length[c];
    estimate.error = std::sqrt(v.variance) / square / changing.length[c];
  }
}

/// The test of one trend.
struct TrendTest {
  Index value = -1;  ///< index of its value among those that are not held
  double statistic = 0;
  double p = 0;
};

/// Tests each of the trends G separately against 0, except those that the fitted values explain.
std::vector<TrendTest> test_trends(const FilteredFit& fit, const Eigen::MatrixXd& G) {
  const Eigen::MatrixXd whole = fit.filtered(G), part = whole - fit.fitted * (fit.fitted.transpose() * whole);
  const auto frames = static_cast<Index>(fit.order.frames.size());
  std::vector<TrendTest> tests;
  for (Index i = 0; i < G.cols(); ++i) {
    const Vector z = part.col(i);
    if (!(z.squaredNorm() > least_rest * whole.col(i).squaredNorm())) continue;
    const ScoreVariance v = find_variance(fit.order, z, fit.e, fit.columns.cols());
    if (!(v.variance > 0)) continue;
    const double t = std::abs(z.dot(fit.r)) / std::sqrt(v.variance);
    const double free = std::min(static_cast<double>(frames - fit.columns.cols()), v.frames - 1);
    const double p = f_tail(t * t, 1, std::max(1.0, std::floor(free)));
    tests.push_back({i % fit.changing.own.cols(), t, p});
  }
  std::ranges::stable_sort(
      tests, [](const TrendTest& a, const TrendTest& b) { return a.p != b.p ? a.p < b.p : a.statistic > b.statistic; });
  return tests;
}

}  // namespace

BlockAgreement compare_blocks(const FitRows& fit, const Scores& scores, const Posterior& posterior) {
  BlockAgreement found;
  const RowOrder& order = fit.order;
  found.frames = static_cast<Index>(order.frames.size());
  if (posterior.formal.spectrum.rank == 0) return found;
  const ChangingFit changing = prepare_changes(fit, scores, posterior);
  const Index C = changing.own.cols();
  if (C == 0) return found;
  found.trends = std::clamp<Index>(found.frames / (frames_for_each_trend * C) - 1, 0, most_trends);
  if (found.trends == 0) return found;
  const Eigen::MatrixXd G = make_trends(changing, found.trends);
  Eigen::MatrixXd all(G.rows(), changing.base.cols() + G.cols());
  all << changing.base, G;
  const Eigen::MatrixXd columns = independent_basis(all);
  if (columns.cols() >= found.frames || columns.cols() >= G.rows()) return found;
  const FilteredFit filtered = filter_fit(order, changing, columns);
  found.autocorrelation = filtered.rho;
  const std::vector<TrendTest> tests = test_trends(filtered, G);
  if (tests.empty()) return found;
  const auto adjusted = [&](const TrendTest& test) {
    return std::min(1.0, static_cast<double>(tests.size()) * test.p);
  };
  found.statistic = tests.front().statistic;
  found.p_value = adjusted(tests.front());
  for (const TrendTest& test : tests) {
    const Index parameter = changing.values[test.value];
    const bool is_known = std::ranges::find(found.changes, parameter, &ValueChange::parameter) != found.changes.end();
    if (is_known || (!found.changes.empty() && !(adjusted(test) < change_alarm))) continue;
    found.changes.push_back({parameter, adjusted(test), {}, {}});
    compare_halves(filtered, test.value, found.changes.back());
  }
  return found;
}

}  // namespace pithball::optim
