#include "optim/uncertainty/homogeneity.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "optim/uncertainty/autocorrelation.hpp"
#include "optim/uncertainty/significance.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

constexpr double not_compared = std::numeric_limits<double>::quiet_NaN();
/// Directions with less than this fraction of the largest curvature of scaled values are undetermined, and a value is
/// determined if its component in such directions is at most this.
constexpr double undetermined_part = 1e-9;
/// Largest leverage of a row: beyond it, the residual is only rounding error.
constexpr double most_leverage = 1 - 1e-6;
/// Minimum number of degrees of freedom per value for a test of all values together.
constexpr double degrees_for_each_value = 4;

/// The rows of one recording, with columns grouped by whether other recordings depend on the value as well.
struct RecordingPart {
  Eigen::MatrixXd own,  ///< columns of values on which no other recording depends, n × own; last rows: their priors
      shared;           ///< columns of values on which others depend as well, n × compared; 0 in rows of priors
  Vector r;             ///< residuals, n
  std::vector<Index> own_values, values;  ///< entries of θ in `own` and `shared`
  std::vector<Index> previous;
  std::vector<Index> frame;  ///< number of the frame of each row of data, from 0
  Eigen::MatrixXd held;      ///< covariance of the scores of `own` and `shared` due to held values; empty: none
  Index frames = 0;
};

/// Whether each recording depends on each entry of θ, as 0 or 1: P × G.
Eigen::ArrayXXd find_telling(const FitRows& fit, const std::vector<FrameRows>& spans) {
  Eigen::ArrayXXd tells(fit.parameters(), static_cast<Index>(spans.size()));
  for (Index j = 0; j < tells.cols(); ++j)
    tells.col(j) = (fit.J.middleRows(spans[j].first, spans[j].end - spans[j].first).colwise().squaredNorm().array() > 0)
                       .cast<double>()
                       .transpose();
  return tells;
}

/// Scales columns to length 1, so that units do not matter, and returns their lengths.
Vector normalize(Eigen::MatrixXd& columns) {
  const Vector length = columns.colwise().norm().transpose();
  for (Index c = 0; c < columns.cols(); ++c)
    if (length[c] > 0) columns.col(c) /= length[c];
  return length;
}

/// Finds the rows of priors that concern values of this recording alone.
std::vector<Index> find_own_priors(const FitRows& fit, const std::vector<Index>& own) {
  std::vector<Index> rows;
  for (Index i = 0; i < fit.prior_J.rows(); ++i) {
    double square = 0;
    for (const Index k : own) square += fit.prior_J(i, k) * fit.prior_J(i, k);
    if (square > 0 && !(fit.prior_J.row(i).squaredNorm() > square)) rows.push_back(i);
  }
  return rows;
}

RecordingPart take_part(const FitRows& fit, const Vector& weight, const FrameRows& span, const Eigen::ArrayXXd& tells,
                        double data_scale) {
  RecordingPart part;
  std::vector<Index>& own = part.own_values;
  for (Index k = 0; k < tells.rows(); ++k)
    if (tells(k, span.recording) > 0) (tells.row(k).sum() > 1 ? part.values : own).push_back(k);
  const std::vector<Index> priors = find_own_priors(fit, own);
  const Index data = span.end - span.first, n = data + static_cast<Index>(priors.size());
  const auto of_data = [&](Index k) {
    return weight.segment(span.first, data).cwiseProduct(fit.J.col(k).segment(span.first, data));
  };
  part.own.setZero(n, static_cast<Index>(own.size()));
  part.shared.setZero(n, static_cast<Index>(part.values.size()));
  part.r.resize(n);
  for (std::size_t c = 0; c < own.size(); ++c) part.own.col(c).head(data) = of_data(own[c]);
  for (std::size_t c = 0; c < part.values.size(); ++c) part.shared.col(c).head(data) = of_data(part.values[c]);
  part.r.head(data) = weight.segment(span.first, data).cwiseProduct(fit.r.segment(span.first, data));
  for (std::size_t i = 0; i < priors.size(); ++i) {
    for (std::size_t c = 0; c < own.size(); ++c) part.own(data + i, c) = data_scale * fit.prior_J(priors[i], own[c]);
    part.r[data + i] = data_scale * fit.prior[priors[i]];
  }
  for (Index row = span.first; row < span.end; ++row) {
    const Index before = fit.order.previous[row];
    part.previous.push_back(before < 0 ? -1 : before - span.first);
  }
  part.previous.resize(static_cast<std::size_t>(n), -1);
  for (const FrameRows& frame : fit.order.frames) {
    if (frame.recording != span.recording) continue;
    part.frame.resize(part.frame.size() + static_cast<std::size_t>(frame.end - frame.first), part.frames);
    ++part.frames;
  }
  return part;
}

/// Returns all columns of a recording, normalized.
Eigen::MatrixXd all_columns(const Eigen::MatrixXd& own, const Eigen::MatrixXd& shared) {
  Eigen::MatrixXd all(own.rows(), own.cols() + shared.cols());
  all << own, shared;
  normalize(all);
  return all;
}

/// The estimates of one recording for the values that it shares, in the order of its `values`.
struct OwnEstimates {
  std::vector<bool> determined;  ///< by this recording alone
  Vector shift;                  ///< θ_j − θ̂
  Eigen::MatrixXd covariance;    ///< V_j
  Vector degrees;                ///< ν_j
};

/// Arranges rows by frame and series of a recording: F × series. A missing frame ends a series.
class SeriesTable {
 public:
  explicit SeriesTable(const RecordingPart& part) : part_(part) {
    for (std::size_t row = 0; row < part.frame.size(); ++row)
      series_.push_back(part.previous[row] < 0 ? count_++ : series_[part.previous[row]]);
  }
  Eigen::MatrixXd table(const Eigen::Ref<const Vector>& rows) const {
    Eigen::MatrixXd filled = Eigen::MatrixXd::Zero(part_.frames, count_);
    for (std::size_t row = 0; row < series_.size(); ++row) filled(part_.frame[row], series_[row]) = rows[row];
    return filled;
  }
  /// C with CᵀC = the covariance of the series of these rows.
  Eigen::MatrixXd covariance_root(const Eigen::Ref<const Vector>& rows) const {
    Eigen::MatrixXd root = table(rows);
    Vector samples = Vector::Zero(count_);
    for (const Index s : series_) samples[s] += 1;
    root.array().rowwise() /= samples.array().sqrt().transpose();
    if (root.rows() <= root.cols()) return root;
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(root);
    return qr.matrixQR().topRows(root.cols()).triangularView<Eigen::Upper>();
  }

 private:
  const RecordingPart& part_;
  std::vector<Index> series_;
  Index count_ = 0;
};

/// Computes the covariance of Lᵀr and the degrees of freedom of its diagonal from the residuals e of the same rows.
/// `prior_variance` is the variance of the rows of priors.
void find_own_covariance(const RecordingPart& part, const Eigen::MatrixXd& L, const Vector& e, double prior_variance,
                         OwnEstimates& found) {
  const SeriesTable series(part);
  const auto data = static_cast<Index>(part.frame.size()), P = L.cols();
  const Eigen::MatrixXd root = series.covariance_root(e.head(data)).transpose();
  const auto priors = L.bottomRows(L.rows() - data);
  found.covariance = prior_variance * priors.transpose() * priors;
  std::vector<Eigen::MatrixXd> products;
  for (Index k = 0; k < P; ++k) products.emplace_back(series.table(L.col(k).head(data)) * root);
  for (Index k = 0; k < P; ++k) {
    for (Index i = 0; i <= k; ++i) {
      const double sum = products[k].cwiseProduct(products[i]).sum();
      found.covariance(k, i) += sum;
      if (i != k) found.covariance(i, k) += sum;
    }
    const double trace = products[k].squaredNorm();
    found.degrees[k] *= trace * trace / (products[k].transpose() * products[k]).squaredNorm();
  }
}

/// Returns the covariance of shared values due to held values.
Eigen::MatrixXd held_covariance(const RecordingPart& part) {
  Eigen::MatrixXd columns(part.r.size(), part.own.cols() + part.shared.cols());
  columns << part.own, part.shared;
  const Vector length = normalize(columns);
  const Vector unit = length.cwiseMax(std::numeric_limits<double>::min()).cwiseInverse();
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> curvature(columns.transpose() * columns);
  const Eigen::MatrixXd inverse = unit.asDiagonal() * curvature.pseudoInverse() * unit.asDiagonal();
  const Index P = part.shared.cols();
  return (inverse * part.held * inverse).bottomRightCorner(P, P);
}

OwnEstimates estimate_alone(const RecordingPart& part, double rho, double data_scale) {
  Eigen::MatrixXd own = filter_rows(part.previous, part.own, rho), Z = filter_rows(part.previous, part.shared, rho);
  const Vector r = filter_rows(part.previous, part.r, rho), length = normalize(Z);
  normalize(own);
  const Eigen::MatrixXd used = independent_basis(all_columns(own, Z)), basis = independent_basis(own);
  const Index P = Z.cols(), n = r.size();
  OwnEstimates found;
  found.determined.assign(static_cast<std::size_t>(P), false);
  found.shift = found.degrees = Vector::Constant(P, not_compared);
  found.covariance = Eigen::MatrixXd::Zero(P, P);
  if (P == 0 || used.cols() >= n) return found;
  Z -= basis * (basis.transpose() * Z);
  const Eigen::MatrixXd H = Z.transpose() * Z;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> directions(H);
  Vector inverse = Vector::Zero(P), weak = Vector::Zero(P);
  for (Index i = 0; i < P; ++i) {
    if (directions.eigenvalues()[i] > undetermined_part)
      inverse[i] = 1 / directions.eigenvalues()[i];
    else
      weak += directions.eigenvectors().col(i).cwiseAbs2();
  }
  const auto& V = directions.eigenvectors();
  const Eigen::MatrixXd L = Z * V * inverse.asDiagonal() * V.transpose() *
                            length.cwiseMax(std::numeric_limits<double>::min()).cwiseInverse().asDiagonal();
  const Vector leverage = used.rowwise().squaredNorm().cwiseMin(most_leverage);
  const Vector e = (r - used * (used.transpose() * r)).array() / (1 - leverage.array()).sqrt();
  found.shift = -L.transpose() * r;
  found.degrees.setConstant(static_cast<double>(part.frames) *
                            (1 - static_cast<double>(used.cols()) / static_cast<double>(n)));
  find_own_covariance(part, L, e, data_scale * data_scale * (1 - rho * rho), found);
  if (part.held.size() > 0) found.covariance += held_covariance(part);
  for (Index k = 0; k < P; ++k) found.determined[k] = weak[k] < undetermined_part && found.covariance(k, k) > 0;
  return found;
}

/// Returns the estimates of one value from the recordings that determine it.
std::vector<ComparedEstimate> select_value(const std::vector<RecordingPart>& parts,
                                           const std::vector<OwnEstimates>& alone, Index k) {
  std::vector<ComparedEstimate> selected;
  for (std::size_t j = 0; j < parts.size(); ++j) {
    const auto place = std::ranges::find(parts[j].values, k);
    if (place == parts[j].values.end()) continue;
    const Index i = place - parts[j].values.begin();
    if (alone[j].determined[i])
      selected.push_back({alone[j].shift.segment(i, 1), alone[j].covariance.block(i, i, 1, 1), alone[j].degrees[i]});
  }
  return selected;
}

/// Returns the estimates of all values together; empty if there is only one value, if there are too few degrees of
/// freedom, or if a recording does not determine all values.
std::vector<ComparedEstimate> select_all(const std::vector<OwnEstimates>& alone) {
  const Index P = alone.front().shift.size();
  std::vector<ComparedEstimate> selected;
  for (const OwnEstimates& one : alone) {
    if (P < 2 || one.shift.size() != P || std::ranges::count(one.determined, false) > 0) return {};
    selected.push_back({one.shift, one.covariance, one.degrees.minCoeff()});
    if (!(selected.back().degrees >= degrees_for_each_value * static_cast<double>(P))) return {};
  }
  return selected;
}

/// Estimates the values from each recording, filtered with the autoregression common to all.
std::vector<OwnEstimates> estimate_each(const std::vector<RecordingPart>& parts, Index frames, double data_scale,
                                        double& rho) {
  std::vector<LinearRows> rows;
  for (const RecordingPart& part : parts) {
    const Eigen::MatrixXd basis = independent_basis(all_columns(part.own, part.shared));
    if (basis.cols() >= basis.rows()) continue;
    Eigen::MatrixXd columns(basis.rows(), basis.cols() + 1);
    columns << basis, part.r;
    rows.push_back({part.previous, std::move(columns)});
  }
  rho = rows.empty() ? 0 : upper_autocorrelation(std::move(rows), frames);
  std::vector<OwnEstimates> alone;
  for (const RecordingPart& part : parts) alone.push_back(estimate_alone(part, rho, data_scale));
  return alone;
}

/// Tests each value, and all values together.
void test_values(const std::vector<RecordingPart>& parts, const std::vector<OwnEstimates>& alone, Homogeneity& found) {
  Index tests = 0;
  for (Index k = 0; k < found.p_values.size(); ++k) {
    const std::vector<ComparedEstimate> selected = select_value(parts, alone, k);
    if (selected.size() < 2) continue;
    ++tests;
    found.telling[k] = static_cast<Index>(selected.size());
    found.p_values[k] = test_equality(selected);
    if (found.worst_parameter < 0 || found.p_values[k] < found.p_values[found.worst_parameter])
      found.worst_parameter = k;
  }
  if (tests == 0) return;
  const std::vector<ComparedEstimate> together = select_all(alone);
  const double joint = together.empty() ? not_compared : test_equality(together);
  if (!std::isnan(joint)) ++tests;
  found.p_values = (static_cast<double>(tests) * found.p_values).cwiseMin(1);
  const double least = found.p_values[found.worst_parameter];
  found.p_value = std::isnan(joint) ? least : std::min(least, static_cast<double>(tests) * joint);
}

/// Finds τ √Σ a_j² for the values that differ between recordings.
void find_between(const FitCurvature& H, const std::vector<FrameRows>& spans, const std::vector<RecordingPart>& parts,
                  const std::vector<OwnEstimates>& alone, Homogeneity& found) {
  if (!(found.p_value < difference_level) || !H.ok()) return;
  for (Index k = 0; k < found.between.size(); ++k) {
    const double p = k == found.worst_parameter ? found.p_value : found.p_values[k];
    if (!(p < difference_level)) continue;
    double squares = 0;
    for (const FrameRows& span : spans) {
      const double a = H.inverse().row(k).dot(H.data_part(span.first, span.end).col(k));
      squares += a * a;
    }
    found.between[k] = std::sqrt(between_variance(select_value(parts, alone, k)) * squares);
  }
}

}  // namespace

Homogeneity compare_recordings(const FitRows& fit, const Scores& scores, const Posterior& posterior,
                               const std::vector<Eigen::MatrixXd>& held) {
  const std::vector<FrameRows> spans = recording_rows(fit.order);
  const Index P = fit.parameters(), G = static_cast<Index>(spans.size());
  Homogeneity found;
  found.recordings = G;
  found.telling.assign(static_cast<std::size_t>(P), 0);
  found.between = Vector::Zero(P);
  found.p_values = Vector::Constant(P, not_compared);
  found.shifts = found.errors = Eigen::MatrixXd::Constant(P, G, not_compared);
  if (G < 2 || !std::isfinite(posterior.data_scale)) return found;
  const Eigen::ArrayXXd tells = find_telling(fit, spans);
  if (!((tells.rowwise().sum() > 1).any())) return found;
  const Vector weight = row_weights(fit, scores);
  std::vector<RecordingPart> parts;
  for (const FrameRows& span : spans) parts.push_back(take_part(fit, weight, span, tells, posterior.data_scale));
  for (std::size_t j = 0; j < held.size(); ++j) {
    std::vector<Index> entries = parts[j].own_values;
    entries.insert(entries.end(), parts[j].values.begin(), parts[j].values.end());
    parts[j].held = held[j](entries, entries);
  }
  const std::vector<OwnEstimates> alone =
      estimate_each(parts, static_cast<Index>(fit.order.frames.size()), posterior.data_scale, found.autocorrelation);
  for (Index j = 0; j < G; ++j)
    for (std::size_t i = 0; i < parts[j].values.size(); ++i) {
      if (!alone[j].determined[i]) continue;
      found.shifts(parts[j].values[i], j) = alone[j].shift[i];
      found.errors(parts[j].values[i], j) = std::sqrt(alone[j].covariance(i, i));
    }
  test_values(parts, alone, found);
  find_between(FitCurvature(fit, scores, posterior), spans, parts, alone, found);
  return found;
}

std::vector<Index> Homogeneity::named_recordings() const {
  std::vector<Index> named;
  for (Index j = 0; worst_parameter >= 0 && j < recordings; ++j)
    if (!std::isnan(shifts(worst_parameter, j))) named.push_back(j);
  if (named.size() <= most_named) return named;
  const auto [low, high] = std::ranges::minmax_element(named, {}, [&](Index j) { return shifts(worst_parameter, j); });
  return {*low, *high};
}

std::string contradiction_sentence(const std::string& name, const std::vector<RecordingEstimate>& estimates,
                                   double p_value) {
  std::string text = "recordings contradict each other: " + name;
  for (std::size_t j = 0; j < estimates.size(); ++j)
    text += (j == 0 ? " is " : ", ") + estimates[j].value + " in " + estimates[j].recording;
  // The distribution function is rounded, so that smaller probabilities are not resolved.
  return text + formatted(" (p = %.1g)", std::max(p_value, std::numeric_limits<double>::epsilon()));
}

}  // namespace pithball::optim
