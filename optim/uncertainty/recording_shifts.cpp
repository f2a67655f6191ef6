#include "optim/uncertainty/recording_shifts.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "optim/uncertainty/robust_errors.hpp"
#include "optim/uncertainty/significance.hpp"

namespace pithball::optim {
namespace {

/// The additional columns of one recording and component: constants, one for each series or one for all, and a drift.
struct ShiftColumns {
  Index recording = 0, component = 0;
  std::vector<Index> constants, markers;  ///< columns, and the marker of each (−1: all)
  Index drift = 0;                        ///< column
};

/// The columns G of all recordings, appended to J.
struct ShiftModel {
  std::vector<ShiftColumns> parts;  ///< in the order of recordings and components
  Eigen::MatrixXd J;                ///< R×(P + additional columns)
};

/// Makes one constant for each series if `by_marker`, otherwise one for all markers.
ShiftModel make_shift_model(const FitRows& fit, const ShiftRows& shifts, bool by_marker) {
  std::map<std::pair<Index, Index>, std::map<Index, Index>> groups;  // (recording, component) → marker → column
  const auto visit = [&](auto act) {
    for (const FrameRows& frame : fit.order.frames)
      for (Index row = frame.first; row < frame.end; ++row)
        if (shifts.by_shift[row] != 0)
          act(row, std::pair{frame.recording, fit.order.series[row] % 3}, by_marker ? fit.order.series[row] / 3 : -1);
  };
  visit([&](Index, auto part, Index marker) { groups[part][marker] = 0; });
  ShiftModel model;
  Index column = fit.parameters();
  std::map<std::pair<Index, Index>, Index> drifts;
  for (auto& [part, markers] : groups) {
    ShiftColumns columns{part.first, part.second, {}, {}, 0};
    for (auto& [marker, own] : markers) {
      columns.constants.push_back(own = column++);
      columns.markers.push_back(marker);
    }
    drifts[part] = columns.drift = column++;
    model.parts.push_back(std::move(columns));
  }
  model.J = Eigen::MatrixXd::Zero(fit.J.rows(), column);
  model.J.leftCols(fit.parameters()) = fit.J;
  visit([&](Index row, auto part, Index marker) {
    model.J(row, groups[part][marker]) = shifts.by_shift[row];
    model.J(row, drifts[part]) = shifts.by_shift[row] * shifts.place[row];
  });
  return model;
}

/// Estimates of β for the additional columns, with their covariance.
struct ShiftEstimates {
  Vector step;          ///< of θ and β
  SeriesErrors errors;  ///< of the extended model; its covariance is empty if there are none
  std::vector<bool> identifiable;
};

ShiftEstimates estimate_shifts(const FitRows& fit, const ShiftModel& model) {
  FitRows extended{fit.r,    model.J,  fit.prior, Eigen::MatrixXd::Zero(fit.prior_J.rows(), model.J.cols()),
                   fit.loss, fit.order};
  extended.prior_J.leftCols(fit.parameters()) = fit.prior_J;
  const std::vector<std::string> names(model.J.cols());
  ShiftEstimates found;
  found.step = Vector::Zero(model.J.cols());
  // Iterated least squares with the weights ψ(r)/r of the previous residuals, which decrease the loss from any start: a
  // step with the loss's curvature is too long where shifts exceed its threshold.
  constexpr int most_passes = 50;
  constexpr double settled_part = 1e-3;  // of the residuals
  bool has_settled = false;
  for (int pass = 0;; ++pass) {
    const Scores scores = compute_scores(extended);
    const Posterior posterior = compute_posterior(extended, scores, names);
    found.identifiable = posterior.formal.identifiable;
    // Exact data have no scale, so no shift could exceed it.
    if (!std::isfinite(posterior.data_scale) || !(posterior.data_scale * posterior.formal.scale.s > 0)) return found;
    if (has_settled || pass == most_passes) {
      found.errors = compute_series_errors(extended, scores, posterior);
      return found;
    }
    const double weight = 1 / (posterior.data_scale * posterior.data_scale);
    const Vector g = weight * extended.J.transpose() * scores.psi + extended.prior_J.transpose() * extended.prior;
    const Eigen::MatrixXd W = posterior.formal.scale.s * posterior.formal.root;
    const Eigen::MatrixXd seen = row_weights(extended, scores).asDiagonal() * extended.J * W,
                          of_priors = extended.prior_J * W;
    const Eigen::MatrixXd H = weight * seen.transpose() * seen + of_priors.transpose() * of_priors;
    const Vector step = -W * H.ldlt().solve(W.transpose() * g), change = extended.J * step;
    has_settled = !fit.loss.is_robust() || change.norm() <= settled_part * extended.r.norm();
    extended.r += change;
    extended.prior += extended.prior_J * step;
    found.step += step;
  }
}

/// The test of one combination Σ contrast β.
struct ShiftTest {
  double size = 0, error = 0;
  double p_value = 1;  ///< of this test alone
};

/// Tests the sum of these columns, each multiplied by its factor.
ShiftTest test_sum(const ShiftEstimates& found, const std::vector<Index>& columns, const Vector& factors) {
  ShiftTest test;
  double degrees = std::numeric_limits<double>::infinity(), variance = 0;
  for (std::size_t a = 0; a < columns.size(); ++a) {
    if (!found.identifiable[columns[a]]) return {};
    degrees = std::min(degrees, found.errors.degrees_of_freedom[columns[a]]);
    test.size += factors[a] * found.step[columns[a]];
    for (std::size_t b = 0; b < columns.size(); ++b)
      variance += factors[a] * factors[b] * found.errors.covariance(columns[a], columns[b]);
  }
  if (!(variance > 0)) return {};
  test.error = std::sqrt(variance);
  const double t = std::abs(test.size) / test.error;
  test.p_value = f_tail(t * t, 1, std::max(1.0, std::floor(degrees)));
  return test;
}

/// Stores the test of one component in its shift.
void take_test(const ShiftTest& test, double tests, Index component, RecordingShift& shift) {
  shift.size[component] = test.size;
  shift.error[component] = test.error;
  if (test.p_value * tests >= shift.p_value) return;
  shift.p_value = test.p_value * tests;
  shift.component = component;
}

/// Tests all shifts of all recordings and returns them, significant or not, by recording, kind and marker.
std::vector<RecordingShift> test_shifts(const ShiftModel& model, const ShiftEstimates& found) {
  double tests = 0;
  for (const ShiftColumns& part : model.parts)
    tests += 2 + (part.constants.size() > 1 ? static_cast<double>(part.constants.size()) : 0);
  std::map<std::tuple<Index, ShiftKind, Index>, RecordingShift> shifts;
  for (const ShiftColumns& part : model.parts) {
    const auto M = static_cast<Index>(part.constants.size());
    const auto take = [&](ShiftKind kind, Index marker, const ShiftTest& test) {
      RecordingShift& shift = shifts[{part.recording, kind, marker}];
      shift.recording = part.recording;
      shift.kind = kind;
      shift.marker = marker;
      take_test(test, tests, part.component, shift);
    };
    const Vector mean = Vector::Constant(M, 1 / static_cast<double>(M));
    take(ShiftKind::Translation, -1, test_sum(found, part.constants, mean));
    take(ShiftKind::Drift, -1, test_sum(found, {part.drift}, Vector::Ones(1)));
    for (Index m = 0; M > 1 && m < M; ++m)
      take(ShiftKind::Own, part.markers[m], test_sum(found, part.constants, Vector::Unit(M, m) - mean));
  }
  std::vector<RecordingShift> all;
  for (auto& [key, shift] : shifts) all.push_back(shift);
  return all;
}

/// Returns the change of the residuals per unit of one component of a shift.
Vector shift_column(const FitRows& fit, const ShiftRows& shifts, const RecordingShift& shift, Index component) {
  Vector column = Vector::Zero(fit.r.size());
  for (const FrameRows& frame : fit.order.frames) {
    if (frame.recording != shift.recording) continue;
    for (Index row = frame.first; row < frame.end; ++row) {
      const Index series = fit.order.series[row];
      if (series % 3 != component || (shift.marker >= 0 && series / 3 != shift.marker)) continue;
      column[row] = shifts.by_shift[row] * (shift.kind == ShiftKind::Drift ? shifts.place[row] : 1);
    }
  }
  return column;
}

/// Returns the largest change of a residual due to the shift, |b|/σ.
double largest_part(const FitRows& fit, const ShiftRows& shifts, const RecordingShift& shift) {
  double largest = 0;
  for (Index a = 0; a < 3; ++a)
    largest = std::max(largest, std::abs(shift.size[a]) * shift_column(fit, shifts, shift, a).cwiseAbs().maxCoeff());
  return largest;
}

}  // namespace

RecordingShifts find_recording_shifts(const FitRows& fit, const Scores& scores, const Posterior& posterior,
                                      const ShiftRows& shifts) {
  RecordingShifts result;
  if (!std::isfinite(posterior.data_scale) || posterior.formal.spectrum.rank == 0 ||
      (shifts.by_shift.array() == 0).all())
    return result;
  const auto R = static_cast<double>(fit.r.size());
  const auto work = [&](const ShiftModel& model) { return R * static_cast<double>(model.J.cols() * model.J.cols()); };
  ShiftModel model = make_shift_model(fit, shifts, true);
  if (work(model) > most_shift_products) model = make_shift_model(fit, shifts, false);
  if (work(model) > most_shift_products || model.J.cols() >= model.J.rows()) return result;
  const ShiftEstimates estimates = estimate_shifts(fit, model);
  if (estimates.errors.covariance.size() == 0) return result;
  const FitCurvature H(fit, scores, posterior);
  if (!H.ok()) return result;
  const Eigen::MatrixXd weighted = weigh_derivatives(fit) / (posterior.data_scale * posterior.data_scale);
  for (const RecordingShift& shift : test_shifts(model, estimates)) {
    if (!(shift.p_value < shift_significance) || !(largest_part(fit, shifts, shift) >= least_shift)) continue;
    if (result.found.empty()) result.covariance = Eigen::MatrixXd::Zero(fit.parameters(), fit.parameters());
    result.found.push_back(shift);
    const double components = static_cast<double>((shift.error.array() > 0).count());
    const double square = shift.size.squaredNorm() / components;
    for (Index a = 0; a < 3; ++a) {
      if (!(shift.error[a] > 0)) continue;
      const Vector moved = H.solve(weighted.transpose() * shift_column(fit, shifts, shift, a));
      result.covariance += square * moved * moved.transpose();
    }
  }
  return result;
}

}  // namespace pithball::optim
