#include "optim/uncertainty/posterior.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "optim/observation/measurement_model.hpp"
#include "optim/uncertainty/significance.hpp"
#include "sim/core/dense.hpp"

namespace pithball::optim {
namespace {

/// Row of each marker and component in one frame; −1: not recorded.
using RowsOfFrame = std::vector<std::array<Index, 3>>;

RowsOfFrame empty_frame(const Observation& o) {
  return RowsOfFrame(o.markers.size(), std::array<Index, 3>{-1, -1, -1});
}

/// Adds the rows of one recording, which begin at `first_row`.
void add_recording(const MeasurementModel& measurement, const Observation& o, Index first_row, RowOrder& order) {
  const auto recording = static_cast<Index>(order.recordings.size()) - 1;
  RowsOfFrame here = empty_frame(o), before = here;
  Index frame = -1, frame_before = -1;
  for (const MeasurementModel::Sample& sample : measurement.samples()) {
    Index row = first_row + sample.first_row;
    if (sample.frame != frame) {
      before = std::exchange(here, empty_frame(o));
      frame_before = std::exchange(frame, sample.frame);
      order.frames.push_back({recording, row, row});
    }
    order.samples.push_back(row);
    const Vec3 seen = o.sight(static_cast<std::size_t>(sample.frame), sample.marker);
    for (int a = 0; a < 3; ++a) {
      if (std::isnan(seen[a])) continue;
      here[sample.marker][a] = row;
      order.previous.push_back(frame_before == frame - 1 ? before[sample.marker][a] : -1);
      order.series.push_back(3 * sample.marker + a);
      ++row;
    }
    order.frames.back().end = row;
  }
}

}  // namespace

RowOrder find_row_order(const std::vector<diff::Scenario>& scenarios, const std::vector<Observation>& observations) {
  RowOrder order;
  Index first_row = 0;
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    const MeasurementModel measurement(observations[s], scenarios[s], Part::Fit);
    if (measurement.rows() == 0) continue;
    order.recordings.push_back(s);
    add_recording(measurement, observations[s], first_row, order);
    first_row += measurement.rows();
  }
  order.samples.push_back(first_row);
  return order;
}

std::vector<FrameRows> recording_rows(const RowOrder& order) {
  std::vector<FrameRows> spans;
  for (const FrameRows& frame : order.frames) {
    if (spans.empty() || spans.back().recording != frame.recording) spans.push_back(frame);
    spans.back().end = frame.end;
  }
  return spans;
}

std::vector<Downweighted> find_downweighted(const std::vector<diff::Scenario>& scenarios,
                                            const std::vector<Observation>& observations, const Vector& weight) {
  std::vector<Downweighted> found;
  Index number = 0;
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    const Observation& o = observations[s];
    const MeasurementModel measurement(o, scenarios[s], Part::Fit);
    if (measurement.rows() == 0) continue;
    Downweighted here;
    here.scenario = static_cast<Index>(s);
    here.of = static_cast<Index>(measurement.samples().size());
    std::vector<Index> by_marker(o.markers.size(), 0);
    for (const MeasurementModel::Sample& sample : measurement.samples()) {
      if (!(weight[number++] < 0.5)) continue;
      const double time = o.times[sample.frame];
      if (here.samples++ == 0) here.first = time;
      here.last = time;
      ++by_marker[sample.marker];
    }
    if (here.samples == 0) continue;
    const auto worst = std::max_element(by_marker.begin(), by_marker.end());
    here.worst_marker = worst - by_marker.begin();
    here.worst_samples = *worst;
    found.push_back(here);
  }
  return found;
}

namespace {

/// 75 % point of the normal distribution: half of all normal numbers are smaller in magnitude.
constexpr double normal_quartile = 0.6744897501960817;

/// The two eigenvalues of W for one sample with residuals r.
struct SampleWeight {
  double across = 1, along = 1;
  SampleWeight(const RobustLoss& loss, double square)
      : across(loss.derivative(square)), along(std::max(0.0, across + 2 * loss.second_derivative(square) * square)) {}
};

/// Calls `visit(j, first row, rows of j, W_j)` for each sample.
template <class Visit>
void for_each_sample(const FitRows& fit, Visit visit) {
  for (std::size_t j = 0; j + 1 < fit.order.samples.size(); ++j) {
    const Index first = fit.order.samples[j], count = fit.order.samples[j + 1] - first;
    visit(static_cast<Index>(j), first, count, SampleWeight(fit.loss, fit.r.segment(first, count).squaredNorm()));
  }
}

/// Multiplies the rows of one sample by the matrix whose eigenvalue is `along` along r and `across` perpendicular to r.
void scale_sample(const Eigen::Ref<const Vector>& r, double across, double along, Eigen::Ref<Eigen::MatrixXd> rows) {
  const double square = r.squaredNorm();
  const Eigen::RowVectorXd part = r.transpose() * rows;
  rows *= across;
  if (square > 0) rows += (along - across) / square * r * part;
}

}  // namespace

Scores compute_scores(const FitRows& fit) {
  Scores scores{fit.r, fit.J, Vector::Ones(static_cast<Index>(fit.order.samples.size()) - 1), 1};
  if (!fit.loss.is_robust()) return scores;
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
  if (!fit.loss.is_robust()) return rows;
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

namespace {

constexpr double no_scale = std::numeric_limits<double>::quiet_NaN();
constexpr long degrees_when_known = 1000000000;  // degrees of freedom of a scale that is known

/// Returns the weight of the priors' rows beside those of the data with which neither is lost in the rounding of the
/// other: midway between those at which both are equally long in the columns that both have. Units of θ are no part of
/// it: columns of a mass in kg and of a charge in C differ by many orders of magnitude.
double balancing_weight(const FitRows& fit) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (Index k = 0; k < fit.parameters(); ++k) {
    const double data = fit.J.col(k).norm(), prior = fit.prior_J.col(k).norm();
    if (!(data > 0 && prior > 0)) continue;
    least = std::min(least, data / prior);
    most = std::max(most, data / prior);
  }
  return most > 0 ? std::sqrt(least) * std::sqrt(most) : 1;
}

/// Directions of θ along which data and priors are independent, with the information from each: column i of `basis` has
/// squared length data_i in J_d and priors_i in J_p.
struct Shares {
  Eigen::MatrixXd basis;
  Vector data, priors;
};

/// Factorizes the stack of both, balanced (`balanced` belongs to it): otherwise, directions that only the weaker one
/// determines would be lost in the rounding of the stronger.
Shares find_shares(const FitRows& fit, const Uncertainty& balanced) {
  if (balanced.spectrum.rank == 0) return {balanced.root, {}, {}};
  const Eigen::MatrixXd seen = fit.J * balanced.root;
  const sim::Spectrum spectrum = sim::symmetric_spectrum(seen.transpose() * seen);
  Shares shares{balanced.root * spectrum.vectors, {}, {}};
  shares.data = (fit.J * shares.basis).colwise().squaredNorm().transpose();
  shares.priors = (fit.prior_J * shares.basis).colwise().squaredNorm().transpose();
  return shares;
}

/// Makes the estimate for a scale s of the data with these degrees of freedom; ∞: s is known.
ScaleEstimate make_scale(double s, double degrees, double confidence) {
  ScaleEstimate scale;
  scale.s = s;
  scale.degrees_of_freedom = std::lround(std::max(0.0, std::floor(degrees + 1e-9)));
  const bool is_known = std::isinf(degrees);
  if (std::isnan(s)) return scale;
  const long known = is_known ? degrees_when_known : std::max(1L, scale.degrees_of_freedom);
  scale.quantile = student_t_quantile(confidence, known);
  scale.one_sided = one_sided_quantile(confidence, known);
  return scale;
}

}  // namespace

double solve_data_scale(const Vector& data, const Vector& priors, Index rows, double square) {
  const auto R = static_cast<double>(rows);
  // However large s is, a direction without a prior uses up a whole degree of freedom.
  const double largest = priors.size() > 0 ? priors.maxCoeff() : 0;
  const auto without_prior = static_cast<double>((priors.array() <= 1e-12 * largest).count());
  if (!(square > 0) || R <= without_prior) return no_scale;
  // x R − Σ x a/(a + x p) − Q increases with x and is convex, so that Newton's method descends to the root from above.
  const auto excess = [&](double x) {
    return x * R - (x * data.array() / (data.array() + x * priors.array())).sum() - square;
  };
  double x = square / R;
  while (excess(x) < 0) x *= 2;
  for (int step = 0; step < 200; ++step) {
    const Eigen::ArrayXd part = data.array() / (data.array() + x * priors.array());
    const double next = x - excess(x) / (R - part.square().sum());
    if (!(next > 0) || !(x - next > 1e-15 * x)) break;
    x = next;
  }
  return x;
}

Posterior compute_posterior(const FitRows& fit, const Scores& scores, const std::vector<std::string>& names,
                            const UncertaintyOptions& options) {
  const bool has_loss = fit.loss.is_robust();
  const double w = scores.curvature;
  Posterior posterior;
  Uncertainty& u = posterior.formal;
  if (fit.prior_J.rows() == 0) {
    UncertaintyOptions plain = options;
    plain.absolute_sigma = options.absolute_sigma && !has_loss;
    u = compute_uncertainty(scores.psi, fit.J, names, plain);
    u.scale.s /= w;
    fill_errors(u);
    posterior.data_scale = std::sqrt(w) * u.scale.s;
    posterior.determined_by_data = static_cast<double>(u.spectrum.rank);
    return posterior;
  }
  const Index R = fit.r.size(), all = R + fit.prior.size();
  Eigen::MatrixXd stack(all, fit.parameters());
  stack << fit.J, balancing_weight(fit) * fit.prior_J;
  UncertaintyOptions known = options;
  known.absolute_sigma = true;
  u = compute_uncertainty(Vector::Zero(all), stack, names, known);
  const Shares shares = find_shares(fit, u);
  double square = 1, degrees = std::numeric_limits<double>::infinity();
  const bool estimate = has_loss || !options.absolute_sigma;
  if (estimate) square = solve_data_scale(shares.data, shares.priors, R, scores.psi.squaredNorm() / (w * w));
  const Eigen::ArrayXd told = shares.data.array() / (shares.data.array() + square * shares.priors.array());
  posterior.determined_by_data = told.sum();
  if (estimate) degrees = static_cast<double>(R) - posterior.determined_by_data;
  u.scale = make_scale(std::sqrt(square), degrees, options.confidence);
  if (!estimate) u.scale.degrees_of_freedom = static_cast<long>(R - u.spectrum.rank);
  // s² W Wᵀ = C.
  u.root = shares.basis * (shares.data.array() + square * shares.priors.array()).rsqrt().matrix().asDiagonal();
  fill_errors(u);
  posterior.data_scale = std::sqrt(w) * u.scale.s;
  return posterior;
}

}  // namespace pithball::optim
