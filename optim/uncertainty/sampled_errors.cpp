#include "optim/uncertainty/sampled_errors.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "optim/search/conjugate_gradients.hpp"
#include "optim/uncertainty/sample_settling.hpp"
#include "optim/uncertainty/student_t.hpp"
#include "sim/core/counter_noise.hpp"

namespace pithball::optim {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// Columns of the block: samples, random signs of frames, probes of directions without information.
constexpr Index paired = 5, sign_columns = 4, probes = 2;
constexpr Index drawn_columns = error_samples + sign_columns, all_columns = drawn_columns + probes;

/// Part of a unit vector from which it counts as a member, as for whole Jacobians.
constexpr double significant = 1e-3;
constexpr Index most_iterations = 60;
/// Of a value's own system: change of its variance over the last fifth of the iterations.
constexpr double exact_change = 1e-7;
/// … with which it is given up after all iterations.
constexpr double acceptable_change = 0.1;
constexpr Index most_exact_iterations = 1000;

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

/// H for products, at one scale of the data.
class Curvature {
 public:
  Curvature(const ManyValues& fit, Index parameters) : fit_(fit), held_(parameters) {
    for (Index k = 0; k < parameters; ++k) held_[k] = !fit.held.empty() && fit.held[k];
  }
  double weight = 1;  ///< 1/s²
  Index products = 0;

  Evaluation multiply(const Eigen::MatrixXd& X, Eigen::MatrixXd& HX) {
    Eigen::MatrixXd JX;
    Evaluation evaluation = fit_.data.jvp_block(X, JX);
    if (evaluation.ok()) evaluation = fit_.data.vjp_block(JX, HX);
    if (!evaluation.ok()) return evaluation;
    products += X.cols();
    HX *= weight;
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
  void mask(Eigen::MatrixXd& X) const {
    for (Index k = 0; k < held_.size(); ++k)
      if (held_[k]) X.row(k).setZero();
  }
  bool is_held(Index k) const { return held_[k]; }
  Index free() const { return held_.size() - held_.count(); }

 private:
  const ManyValues& fit_;
  Eigen::Array<bool, Eigen::Dynamic, 1> held_;
};

/// All of it, step by step.
class Sampler {
 public:
  Sampler(const ManyValues& fit, const std::vector<std::string>& names, const UncertaintyOptions& options,
          std::uint64_t seed)
      : fit_(fit), names_(names), options_(options), seed_(seed), P_(static_cast<Index>(names.size())), H_(fit, P_) {}

  SampledErrors run() {
    found_.formal = Vector::Constant(P_, infinite);
    found_.origin.assign(names_.size(), ErrorOrigin::Samples);
    found_.direction.resize(names_.size());
    score();
    if (Evaluation evaluation = draw(); !evaluation.ok()) return failed(evaluation);
    if (Evaluation evaluation = solve(); !evaluation.ok()) return failed(evaluation);
    if (!std::isfinite(found_.s)) return failed({"the residuals have no scale"});
    if (Evaluation evaluation = judge_frames(); !evaluation.ok()) return failed(evaluation);
    if (Evaluation evaluation = solve_exact(); !evaluation.ok()) return failed(evaluation);
    fill();
    found_.products = H_.products;
    return std::move(found_);
  }

 private:
  SampledErrors failed(const Evaluation& evaluation) {
    found_.failure = evaluation.failure;
    return std::move(found_);
  }

  void score() {
    FitRows rows;
    rows.r = fit_.data.residual();
    rows.J.resize(rows.r.size(), 0);
    rows.loss = fit_.loss;
    rows.order = fit_.order;
    const Scores scores = compute_scores(rows);
    psi_ = scores.psi;
    curvature_ = scores.curvature;
  }

  /// ±1 of each frame, as a column over all rows.
  Vector frame_signs(std::uint64_t number) const {
    const sim::CounterNoise noise(seed_, OfSigns);
    Vector signs = Vector::Ones(psi_.size());
    for (std::size_t f = 0; f < fit_.order.frames.size(); ++f) {
      const FrameRows& frame = fit_.order.frames[f];
      if (noise.uniform(f, number) < 0.5) signs.segment(frame.first, frame.end - frame.first).setConstant(-1);
    }
    return signs;
  }

  /// The random columns, and their products with Jᵀ.
  Evaluation draw() {
    epsilon_ = normal_numbers(seed_, OfData, psi_.size(), error_samples);
    Eigen::MatrixXd columns(psi_.size(), drawn_columns);
    for (Index m = 0; m < paired; ++m)
      epsilon_.col(2 * m + 1) = frame_signs(static_cast<std::uint64_t>(m)).cwiseProduct(epsilon_.col(2 * m));
    columns.leftCols(error_samples) = epsilon_;
    for (Index m = 0; m < sign_columns; ++m)
      columns.col(error_samples + m) = frame_signs(static_cast<std::uint64_t>(paired + m)).cwiseProduct(psi_);
    Evaluation evaluation = fit_.data.vjp_block(columns, of_data_);
    if (!evaluation.ok()) return evaluation;
    H_.mask(of_data_);
    of_priors_ = Eigen::MatrixXd::Zero(P_, error_samples);
    if (!fit_.priors) return {};
    evaluation = fit_.priors->vjp_block(normal_numbers(seed_, OfPriors, fit_.priors->residual().size(), error_samples),
                                        of_priors_);
    if (evaluation.ok()) H_.mask(of_priors_);
    return evaluation;
  }

  bool is_estimated() const { return fit_.loss.kind != RobustLoss::Kind::None || !options_.absolute_sigma; }
  /// s² where γ values are told by the data.
  double square_at(double gamma) const {
    if (!is_estimated()) return 1;
    const double degrees = static_cast<double>(psi_.size()) - gamma;
    return degrees > 0 ? psi_.squaredNorm() / (degrees * curvature_ * curvature_) : std::nan("");
  }

  /// Samples, with the scale of the residuals, which depends on them where there are priors.
  Evaluation solve() {
    constexpr int most_rounds = 3;
    constexpr double same_scale = 0.06;  // of s²: a fifth of what samples scatter by
    const double most = fit_.priors ? static_cast<double>(psi_.size()) / 2 : infinite;
    gamma_ = std::min(static_cast<double>(H_.free()), most);
    for (int round = 0; round < most_rounds; ++round) {
      square_ = square_at(gamma_);
      if (!(square_ > 0)) return {"the residuals have no scale"};
      H_.weight = 1 / square_;
      if (Evaluation evaluation = solve_at_scale(); !evaluation.ok()) return evaluation;
      if (Evaluation evaluation = find_told(); !evaluation.ok()) return evaluation;
      const double next = square_at(gamma_);
      if (!fit_.priors || !(next > 0) || std::abs(std::log(next / square_)) < same_scale) break;
    }
    square_ = square_at(gamma_);
    if (!(square_ > 0)) return {"the residuals have no scale"};
    found_.s = std::sqrt(square_);
    found_.data_scale = std::sqrt(curvature_) * found_.s;
    found_.determined_by_data = gamma_;
    found_.degrees_of_freedom =
        std::lround(std::max(0.0, std::floor(static_cast<double>(psi_.size()) - gamma_ + 1e-9)));
    return {};
  }

  Evaluation solve_at_scale() {
    const Eigen::MatrixXd drawn = of_data_.leftCols(error_samples) / std::sqrt(square_) + of_priors_;
    lengths_ = mean_roots(drawn);
    scaling_.emplace(fit_.blocks, drawn);
    const BlockScaling& scaling = *scaling_;
    Eigen::MatrixXd b(P_, all_columns), x = Eigen::MatrixXd::Zero(P_, all_columns);
    b.leftCols(error_samples) = scaling.scale(drawn);
    b.middleCols(error_samples, sign_columns) = scaling.scale(of_data_.rightCols(sign_columns) / square_);
    const sim::CounterNoise signs(seed_, OfProbes);
    for (Index c = 0; c < probes; ++c)
      for (Index k = 0; k < P_; ++k)
        b(k, drawn_columns + c) =
            signs.uniform(static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(c)) < 0.5 ? -1 : 1;
    b = scaling.only_taking_part(b);
    SampleSettling settling(scaling, {error_samples, probes}, H_.free());
    const Evaluation evaluation = block_conjugate_gradients(
        [this](const Eigen::MatrixXd& X, Eigen::MatrixXd& HX) { return H_.multiply(X, HX); }, scaling, b, x,
        [&](const BlockIterate& at) { return settling.is_enough(at); }, most_iterations);
    found_.iterations += settling.iterations();
    if (!evaluation.ok()) return evaluation;
    samples_ = settling.x().leftCols(error_samples);
    signed_ = settling.x().middleCols(error_samples, sign_columns);
    judge_values(scaling, settling);
    return {};
  }

  /// How each value's error was found, by the latest samples.
  void judge_values(const BlockScaling& scaling, const SampleSettling& settling) {
    // A value counts by what its part of the direction does alone, as if all columns of J had one length.
    const Eigen::MatrixXd directions = settling.has_null() ? scaling.stretch(settling.null()) : Eigen::MatrixXd(P_, 0);
    Eigen::MatrixXd parts = lengths_.asDiagonal() * directions;
    if (parts.cols() > 0) parts /= parts.norm();
    for (Index k = 0; k < P_; ++k) {
      const auto i = static_cast<std::size_t>(k);
      ErrorOrigin& origin = found_.origin[i];
      found_.direction[i].clear();
      origin = ErrorOrigin::Samples;
      if (H_.is_held(k))
        origin = ErrorOrigin::Held;
      else if (!scaling.takes_part(k))
        origin = ErrorOrigin::Unfelt;
      else if (parts.row(k).norm() > significant)
        origin = ErrorOrigin::Null;
      else if (!settling.is_settled(k))
        origin = ErrorOrigin::Unsettled;
      const bool is_null = origin == ErrorOrigin::Unfelt || origin == ErrorOrigin::Null;
      found_.formal[k] = is_null ? infinite : origin == ErrorOrigin::Samples ? settling.errors()[k] : std::nan("");
      if (!is_null) continue;
      found_.direction[i] = names_[i] + " +1.00";
      if (origin != ErrorOrigin::Null) continue;
      const Vector nearest = directions * parts.row(k).transpose();
      found_.direction[i] = direction_name(nearest / nearest.norm(), names_);
    }
  }

  /// γ = P − tr(H⁻¹J_pᵀJ_p), P without those that have no effect.
  Evaluation find_told() {
    double told = 0;
    for (const ErrorOrigin origin : found_.origin)
      told += origin != ErrorOrigin::Held && origin != ErrorOrigin::Unfelt ? 1 : 0;
    if (fit_.priors) {
      Eigen::MatrixXd along;
      const Evaluation evaluation = fit_.priors->jvp_block(samples_, along);
      if (!evaluation.ok()) return evaluation;
      told -= along.squaredNorm() / static_cast<double>(error_samples);
    }
    gamma_ = std::max(0.0, told);
    return {};
  }

  /// The mean ratio of robust to formal errors.
  Evaluation judge_frames() {
    RobustErrors& robust = found_.robust;
    robust.frames = static_cast<Index>(fit_.order.frames.size());
    robust.by_mean_ratio = true;
    const double nu = static_cast<double>(std::max(1L, found_.degrees_of_freedom));
    robust.degrees_of_freedom = static_cast<long>(nu);
    if (robust.frames < 2) return {};
    robust.autocorrelation = frame_autocorrelation(fit_.order, psi_);
    const double color = (1 + robust.autocorrelation) / (1 - robust.autocorrelation);
    robust.degrees_of_freedom = std::max(1L, std::lround(std::floor(nu / color)));
    Eigen::MatrixXd seen;  // J δ of the pairs
    const Evaluation evaluation = fit_.data.jvp_block(samples_.leftCols(2 * paired), seen);
    if (!evaluation.ok()) return evaluation;
    double leverage = 0, squares = 0;
    for (Index m = 0; m < paired; ++m)
      leverage += seen.col(2 * m).dot(frame_signs(static_cast<std::uint64_t>(m)).cwiseProduct(seen.col(2 * m + 1)));
    leverage *= H_.weight / static_cast<double>(paired);
    for (Index m = 0; m < sign_columns; ++m)
      squares += of_data_.col(error_samples + m).dot(signed_.col(m)) / static_cast<double>(sign_columns);
    // g_z = J ᵀ(zψ)/τ², τ² = w̄ s²; signed_ = H⁻¹ Jᵀ(zψ)/s².
    squares *= H_.weight / (curvature_ * curvature_);
    const double expected = gamma_ - std::max(0.0, leverage);
    if (expected > 1e-9 * gamma_ && squares > 0) robust.mean_ratio = std::sqrt(color * squares / expected);
    return {};
  }

  /// The values whose errors are wanted exactly, each from its own system.
  Evaluation solve_exact() {
    std::vector<Index> wanted;
    for (const Index k : fit_.exact) {
      const ErrorOrigin origin = found_.origin[k];
      if (origin == ErrorOrigin::Samples || origin == ErrorOrigin::Unsettled) wanted.push_back(k);
    }
    if (wanted.empty()) return {};
    const BlockScaling& scaling = *scaling_;
    H_.weight = 1 / square_;
    const auto count = static_cast<Index>(wanted.size());
    Eigen::MatrixXd unit = Eigen::MatrixXd::Zero(P_, count);
    for (Index c = 0; c < count; ++c) unit(wanted[c], c) = 1;
    const Eigen::MatrixXd b = scaling.scale(unit);
    Eigen::MatrixXd x = Eigen::MatrixXd::Zero(P_, count);
    std::vector<Vector> variances;
    Vector change = Vector::Constant(count, infinite);
    const Evaluation evaluation = block_conjugate_gradients(
        [this](const Eigen::MatrixXd& X, Eigen::MatrixXd& HX) { return H_.multiply(X, HX); }, scaling, b, x,
        [&](const BlockIterate& at) {
          ++found_.iterations;
          variances.push_back(at.x.cwiseProduct(b).colwise().sum().transpose());
          const Vector& before = variances[a_fifth_back(at.iteration)];
          if (at.iteration > 2) change = (variances.back() - before).cwiseAbs().cwiseQuotient(variances.back());
          if (at.residual.norm() <= 1e-12 * b.norm()) change.setZero();
          return change.maxCoeff() <= exact_change;
        },
        most_exact_iterations);
    if (!evaluation.ok()) return evaluation;
    for (Index c = 0; c < count; ++c) {
      const Index k = wanted[c];
      const auto i = static_cast<std::size_t>(k);
      if (!(change[c] <= acceptable_change) || !(variances.back()[c] > 0)) continue;
      found_.origin[i] = ErrorOrigin::Solved;
      found_.direction[i].clear();
      found_.formal[k] = std::sqrt(variances.back()[c]);
    }
    return {};
  }

  void fill() {
    const double ratio = found_.robust.mean_ratio;
    const long nu = is_estimated() ? std::max(1L, found_.degrees_of_freedom) : std::numeric_limits<long>::max();
    for (Index k = 0; k < P_; ++k) {
      const auto i = static_cast<std::size_t>(k);
      ParameterErrors& p = found_.parameters.emplace_back();
      const ErrorOrigin origin = found_.origin[i];
      p.formal = p.standard_error = found_.formal[k];
      p.identifiable = origin != ErrorOrigin::Unfelt && origin != ErrorOrigin::Null;
      p.weak_direction = found_.direction[i];
      if (!p.identifiable) p.half_width = p.one_sided = infinite;
      if (!std::isfinite(p.formal)) continue;
      const auto degrees = [&](long most) {
        return origin == ErrorOrigin::Samples ? std::min<long>(error_samples, most) : std::min(most, 1000000000L);
      };
      p.half_width = p.formal * student_t_quantile(options_.confidence, degrees(nu));
      p.one_sided = p.formal * one_sided_quantile(options_.confidence, degrees(nu));
      if (!std::isfinite(ratio)) continue;
      p.robust = p.formal * ratio;
      const long robust_degrees = degrees(found_.robust.degrees_of_freedom);
      const double half_width = p.robust * student_t_quantile(options_.confidence, robust_degrees);
      if (!(half_width > p.half_width)) continue;
      p.widest = ErrorKind::Robust;
      p.standard_error = p.robust;
      p.half_width = half_width;
      p.one_sided = p.robust * one_sided_quantile(options_.confidence, robust_degrees);
    }
  }

  const ManyValues& fit_;
  const std::vector<std::string>& names_;
  const UncertaintyOptions& options_;
  std::uint64_t seed_;
  Index P_;
  Curvature H_;
  Vector psi_, lengths_;  ///< lengths: estimates of √H_kk
  double curvature_ = 1, gamma_ = 0, square_ = 1;
  Eigen::MatrixXd epsilon_, of_data_, of_priors_, samples_, signed_;
  std::optional<BlockScaling> scaling_;
  SampledErrors found_;
};

}  // namespace

SampledErrors compute_sampled_errors(const ManyValues& fit, const std::vector<std::string>& names,
                                     const UncertaintyOptions& options, std::uint64_t seed) {
  return Sampler(fit, names, options, seed).run();
}

}  // namespace pithball::optim
