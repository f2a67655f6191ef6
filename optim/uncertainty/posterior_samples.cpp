#include "optim/uncertainty/posterior_samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/core/counter_noise.hpp"

namespace pithball::optim {
namespace {

/// An error is settled if it grows by less than this factor over the last fifth of the iterations (a sampled error
/// scatters by 16 % anyway); the second number is the fraction of values that may remain unsettled.
constexpr double settled_growth = 1.1, unsettled_share = 1e-2;
/// If the probes grow by more than this factor, the growth may come from a direction without information; it does if
/// the curvature along it, relative to the largest, is below the second number.
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
  // The decrease of the residual is H̃ times the growth.
  const double curvature = grown.cwiseProduct(left_[before] - left_.back()).sum();
  if (std::abs(curvature) <= no_information * at.largest * square) null_ = grown / std::sqrt(square);
}

namespace {

/// Columns for finding directions without information.
constexpr Index probe_columns = 2;
constexpr Index drawn_columns = error_samples + sign_columns;
constexpr Index most_block_iterations = 60;

/// Streams of random numbers.
enum Purpose : std::uint64_t { OfData = 901, OfPriors, OfSigns, OfProbes };

Eigen::MatrixXd normal_numbers(std::uint64_t seed, Purpose purpose, Index rows, Index columns) {
  const sim::CounterNoise noise(seed, purpose);
  Eigen::MatrixXd numbers(rows, columns);
  for (Index c = 0; c < columns; ++c)
    for (Index k = 0; k < rows; ++k)
      numbers(k, c) = noise.normal(static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(c), 0);
  return numbers;
}

/// Draws ε of the samples, R×error_samples: the first 2·sample_pairs columns are pairs that differ in the signs of
/// frames.
Eigen::MatrixXd paired_noise(const ManyValues& fit, std::uint64_t seed) {
  Eigen::MatrixXd epsilon = normal_numbers(seed, OfData, fit.data.residual().size(), error_samples);
  for (Index m = 0; m < sample_pairs; ++m)
    epsilon.col(2 * m + 1) = frame_signs(fit, seed, m).cwiseProduct(epsilon.col(2 * m));
  return epsilon;
}

}  // namespace

Scores compute_scores(const ManyValues& fit) {
  FitRows rows;
  rows.r = fit.data.residual();
  rows.J.resize(rows.r.size(), 0);
  rows.loss = fit.loss;
  rows.order = fit.order;
  return compute_scores(rows);
}

Vector frame_signs(const ManyValues& fit, std::uint64_t seed, Index number) {
  const sim::CounterNoise noise(seed, OfSigns);
  Vector signs = Vector::Ones(fit.data.residual().size());
  for (std::size_t f = 0; f < fit.order.frames.size(); ++f) {
    const FrameRows& frame = fit.order.frames[f];
    if (noise.uniform(f, static_cast<std::uint64_t>(number)) < 0.5)
      signs.segment(frame.first, frame.end - frame.first).setConstant(-1);
  }
  return signs;
}

CurvatureProducts::CurvatureProducts(const ManyValues& fit, Index parameters) : fit_(fit), held_(parameters) {
  for (Index k = 0; k < parameters; ++k) held_[k] = !fit.held.empty() && fit.held[k];
}

BlockProduct CurvatureProducts::product() {
  return [this](const Eigen::MatrixXd& X, Eigen::MatrixXd& HX) { return multiply(X, HX); };
}

Evaluation CurvatureProducts::multiply(const Eigen::MatrixXd& X, Eigen::MatrixXd& HX) {
  Eigen::MatrixXd JX;
  Evaluation evaluation = fit_.data.jvp_block(X, JX);
  if (evaluation.ok()) evaluation = fit_.data.vjp_block(JX, HX);
  if (!evaluation.ok()) return evaluation;
  products_ += X.cols();
  HX *= weight_;
  if (fit_.priors) {
    Eigen::MatrixXd PX, share;
    evaluation = fit_.priors->jvp_block(X, PX);
    if (evaluation.ok()) evaluation = fit_.priors->vjp_block(PX, share);
    if (!evaluation.ok()) return evaluation;
    HX += share;
  }
  mask(HX);
  return {};
}

void CurvatureProducts::mask(Eigen::MatrixXd& X) const {
  for (Index k = 0; k < held_.size(); ++k)
    if (held_[k]) X.row(k).setZero();
}

Evaluation draw_sides(const ManyValues& fit, const Vector& psi, std::uint64_t seed, const CurvatureProducts& H,
                      DrawnSides& drawn) {
  const Index P = H.size();
  Eigen::MatrixXd columns(psi.size(), drawn_columns);
  columns.leftCols(error_samples) = paired_noise(fit, seed);
  for (Index m = 0; m < sign_columns; ++m)
    columns.col(error_samples + m) = frame_signs(fit, seed, sample_pairs + m).cwiseProduct(psi);
  Evaluation evaluation = fit.data.vjp_block(columns, drawn.of_data);
  if (!evaluation.ok()) return evaluation;
  H.mask(drawn.of_data);
  drawn.probes.resize(P, probe_columns);
  const sim::CounterNoise signs(seed, OfProbes);
  for (Index c = 0; c < probe_columns; ++c)
    for (Index k = 0; k < P; ++k)
      drawn.probes(k, c) = signs.uniform(static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(c)) < 0.5 ? -1 : 1;
  drawn.of_priors = Eigen::MatrixXd::Zero(P, error_samples);
  if (!fit.priors) return {};
  evaluation = fit.priors->vjp_block(normal_numbers(seed, OfPriors, fit.priors->residual().size(), error_samples),
                                     drawn.of_priors);
  if (evaluation.ok()) H.mask(drawn.of_priors);
  return evaluation;
}

Evaluation solve_at_scale(const ManyValues& fit, const DrawnSides& sides, double square, CurvatureProducts& H,
                          SamplesAtScale& solved) {
  const Index P = H.size();
  const Eigen::MatrixXd drawn = sides.of_data.leftCols(error_samples) / std::sqrt(square) + sides.of_priors;
  const BlockScaling& scaling = solved.scaling.emplace(fit.blocks, drawn);
  Eigen::MatrixXd b(P, drawn_columns + probe_columns), x = Eigen::MatrixXd::Zero(P, drawn_columns + probe_columns);
  b.leftCols(error_samples) = scaling.scale(drawn);
  b.middleCols(error_samples, sign_columns) = scaling.scale(sides.of_data.rightCols(sign_columns) / square);
  b.rightCols(probe_columns) = sides.probes;
  b = scaling.only_taking_part(b);
  SampleSettling settling(scaling, {error_samples, probe_columns}, H.free());
  H.set_scale(square);
  const Evaluation evaluation = block_conjugate_gradients(
      H.product(), scaling, b, x, [&](const BlockIterate& at) { return settling.is_enough(at); },
      most_block_iterations);
  if (!evaluation.ok()) return evaluation;
  solved.square = square;
  solved.samples = settling.x().leftCols(error_samples);
  solved.of_signs = settling.x().middleCols(error_samples, sign_columns);
  solved.errors = settling.errors();
  solved.is_settled.resize(P);
  for (Index k = 0; k < P; ++k) solved.is_settled[k] = settling.is_settled(k);
  NullDirections& null = solved.null;
  null.directions = settling.has_null() ? scaling.stretch(settling.null()) : Eigen::MatrixXd(P, 0);
  null.parts = mean_roots(drawn).asDiagonal() * null.directions;  // the roots estimate √H_kk
  if (null.parts.cols() > 0) null.parts /= null.parts.norm();
  solved.iterations = settling.iterations();
  return {};
}

}  // namespace pithball::optim
