#include "optim/diagnosis/score_test.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "optim/uncertainty/robust_errors.hpp"
#include "optim/uncertainty/significance.hpp"
#include "sim/core/dense.hpp"

namespace pithball::optim {
namespace {

/// Returns the p of a test where only β ≥ 0 is possible: halved for a predicted β > 0; β < 0 is not evidence.
double of_one_side(double p, double shift) { return shift > 0 ? p / 2 : 1 - p / 2; }

}  // namespace

Eigen::MatrixXd basis_of(const Eigen::ColPivHouseholderQR<Eigen::MatrixXd>& qr) {
  return qr.householderQ() * Eigen::MatrixXd::Identity(qr.rows(), qr.rank());
}

ScoreTester::ScoreTester(const FitRows& fit, const Scores& scores, const Posterior& posterior)
    : fit_(fit), posterior_(posterior), tau_(posterior.data_scale), weight_(fit.r.size()) {
  for (Index j = 0; j < scores.weight.size(); ++j) {
    const auto sample = static_cast<std::size_t>(j);
    const Index first = fit_.order.samples[sample], end = fit_.order.samples[sample + 1];
    weight_.segment(first, end - first).setConstant(std::sqrt(scores.weight[j]) / tau_);
  }
  Eigen::MatrixXd columns(fit.r.size() + fit.prior.size(), fit.J.cols());
  columns << weight_.asDiagonal() * fit.J, fit.prior_J;
  residual_.resize(columns.rows());
  residual_ << weight_.cwiseProduct(fit.r), fit.prior;
  basis_.resize(columns.rows(), 0);
  if (posterior.formal.root.cols() > 0) {  // otherwise bounds hold every value
    determined_.compute(columns * posterior.formal.root);
    basis_ = basis_of(determined_);
  }
  degrees_ = static_cast<double>(residual_.size() - basis_.cols());
  mean_square_ = residual_.squaredNorm() / degrees_;
  const RobustErrors robust = compute_robust_errors(fit, scores, posterior);
  if (robust.mean_ratio > 1) inflation_ = robust.mean_ratio * robust.mean_ratio;
}

Vector ScoreTester::score_seed() const { return weight_.cwiseProduct(residual_.head(data_rows())); }

Vector ScoreTester::probe_seed(const Vector& v) const {
  const Vector rest = v - basis_ * (basis_.transpose() * v);
  return weight_.cwiseProduct(rest.head(data_rows()));
}

Eigen::MatrixXd ScoreTester::weighted(const Eigen::MatrixXd& G) const {
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(all_rows(), G.cols());
  rows.topRows(data_rows()) = weight_.asDiagonal() * G;
  return rows;
}

Eigen::MatrixXd ScoreTester::unexplained(const Eigen::MatrixXd& G) const {
  Eigen::MatrixXd rest = weighted(G);
  for (int pass = 0; pass < 2; ++pass)  // the second pass removes the rounding error of the first
    rest -= basis_ * (basis_.transpose() * rest);
  return rest;
}

Eigen::MatrixXd ScoreTester::seeds_of(const Eigen::MatrixXd& unexplained) const {
  return weight_.asDiagonal() * unexplained.topRows(data_rows());
}

double ScoreTester::scatter_ratio(const Eigen::MatrixXd& whitened, const Vector& remaining, double color) const {
  const auto F = static_cast<double>(fit_.order.frames.size());
  double by_frames = 0;
  for (const FrameRows& frame : fit_.order.frames) {
    const Index rows = frame.end - frame.first;
    by_frames +=
        (whitened.middleRows(frame.first, rows).transpose() * remaining.segment(frame.first, rows)).squaredNorm();
  }
  return color * F / std::max(1.0, F - 1) * by_frames;
}

ScoreTest ScoreTester::test(const Eigen::MatrixXd& G, bool one_sided, const Eigen::MatrixXd& carried) const {
  ScoreTest found;
  const Eigen::MatrixXd rest = unexplained(G);
  const Vector lengths = (weight_.asDiagonal() * G).colwise().norm();
  found.share = lengths.norm() > 0 ? rest.squaredNorm() / lengths.squaredNorm() : 0;
  if (!(found.share > least_share)) return found;
  const Vector inverse = (lengths.array() > 0).select(lengths.cwiseInverse(), 0);
  const Eigen::MatrixXd scaled = rest * inverse.asDiagonal();
  const sim::Spectrum spectrum = sim::symmetric_spectrum(scaled.transpose() * scaled);
  const Index q = (spectrum.values.array() > least_share).count();  // the last ones, since values ascend
  const double degrees = degrees_ - static_cast<double>(q);
  if (q == 0 || !(degrees > 0)) return found;
  // β = root · b, chosen so that the scores of b have the covariance of independent residuals.
  const Eigen::MatrixXd root = inverse.asDiagonal() * spectrum.vectors.rightCols(q) *
                               spectrum.values.tail(q).cwiseSqrt().cwiseInverse().asDiagonal();
  const Eigen::MatrixXd whitened = rest * root;
  const Vector b = -(whitened.transpose() * residual_);
  found.shift = root * b;
  found.gain = b.squaredNorm() * tau_ * tau_;
  const Vector remaining = residual_ + whitened * b;
  const double carried_trace = carried.size() > 0 ? (root.transpose() * carried * root).trace() : 0;
  const double of_frames = static_cast<double>(fit_.order.frames.size()) - static_cast<double>(q) - 1;
  const double variance = judge(whitened, remaining, {carried_trace, std::max(1.0, of_frames)}, found);
  if (one_sided) found.p = of_one_side(found.p, found.shift[0]);
  found.error = (variance * root.rowwise().squaredNorm()).cwiseSqrt();
  return found;
}

double ScoreTester::judge(const Eigen::MatrixXd& whitened, const Vector& remaining, const Judgement& by,
                          ScoreTest& found) const {
  const auto numbers = static_cast<double>(whitened.cols());
  const double degrees = degrees_ - numbers, mean_square = remaining.squaredNorm() / degrees;
  if (!(mean_square > 0)) return 0;
  const Vector psi = remaining.head(data_rows());
  const double rho = frame_autocorrelation(fit_.order, psi);
  const double color = (1 + rho) / (1 - rho);
  double inflation = std::max(1.0, scatter_ratio(whitened, psi, color) / (numbers * mean_square));
  inflation += by.carried / (numbers * mean_square);
  found.degrees = std::max(1.0, std::min({degrees, degrees / color, by.most_degrees}));
  found.unit = mean_square * inflation * tau_ * tau_;
  found.p = f_tail(found.gain / (numbers * found.unit), numbers, found.degrees);
  return mean_square * inflation;
}

ScoreTest ScoreTester::test_trial(const Eigen::MatrixXd& G, const Vector& rows) const {
  ScoreTest found;
  const Eigen::MatrixXd whitened = basis_of(Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(unexplained(G)));
  found.gain = decrease_to(rows.squaredNorm());
  if (whitened.cols() > 0 && found.gain > 0) judge(whitened, rows, {0, std::numeric_limits<double>::infinity()}, found);
  return found;
}

Vector ScoreTester::explained_step(const Vector& rows) const {
  if (posterior_.formal.root.cols() == 0) return Vector::Zero(posterior_.formal.root.rows());
  return posterior_.formal.root * determined_.solve(rows);
}

Vector ScoreTester::rows_after(const Vector& r, const Vector& step) const {
  Vector after(all_rows());
  after << weight_.cwiseProduct(r), fit_.prior + fit_.prior_J * step;
  return after;
}

void ScoreTester::take(const Eigen::MatrixXd& G) {
  const Eigen::MatrixXd more = basis_of(Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(unexplained(G)));
  residual_ -= more * (more.transpose() * residual_);
  Eigen::MatrixXd both(basis_.rows(), basis_.cols() + more.cols());
  both << basis_, more;
  basis_ = std::move(both);
  degrees_ -= static_cast<double>(more.cols());
  mean_square_ = residual_.squaredNorm() / degrees_;
}

ScoreTest ScoreTester::screen(const Eigen::SparseVector<double>& g, bool one_sided) const {
  double score = 0, square = 0;
  Vector along = Vector::Zero(basis_.cols());
  for (Eigen::SparseVector<double>::InnerIterator row(g); row; ++row) {
    const double entry = weight_[row.index()] * row.value();
    score += entry * residual_[row.index()];
    square += entry * entry;
    along += entry * basis_.row(row.index()).transpose();
  }
  const double information = square - along.squaredNorm();
  ScoreTest found;
  if (information > least_share * square) found = estimate(score, information, static_cast<Index>(degrees_), one_sided);
  found.share = square > 0 ? std::max(0.0, information / square) : 0;
  return found;
}

ScoreTest ScoreTester::estimate(double score, double information, Index probes, bool one_sided) const {
  ScoreTest found;
  if (!(information > 0) || !std::isfinite(score)) return found;
  found.shift = Vector::Constant(1, -score / information);
  found.gain = score * score / information * tau_ * tau_;
  const double variance = mean_square_ * inflation_ / information;
  found.error = Vector::Constant(1, std::sqrt(variance));
  // With Gaussian probes the estimate is χ² with as many degrees of freedom, so the ratio has Student's distribution.
  found.p = f_tail(found.shift[0] * found.shift[0] / variance, 1, static_cast<double>(probes));
  if (one_sided) found.p = of_one_side(found.p, found.shift[0]);
  return found;
}

std::vector<double> adjust_for_number(const std::vector<double>& p) {
  std::vector<std::size_t> ascending(p.size());
  std::iota(ascending.begin(), ascending.end(), std::size_t{0});
  std::ranges::stable_sort(ascending, {}, [&](std::size_t k) { return p[k]; });
  std::vector<double> adjusted(p.size(), 1);
  double largest = 0;
  for (std::size_t place = 0; place < ascending.size(); ++place) {
    const std::size_t k = ascending[place];
    largest = std::max(largest, std::min(1.0, p[k] * static_cast<double>(p.size() - place)));
    adjusted[k] = largest;
  }
  return adjusted;
}

}  // namespace pithball::optim
