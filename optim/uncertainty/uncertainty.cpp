#include "optim/uncertainty/uncertainty.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "optim/uncertainty/significance.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// A parameter is undetermined if the projection of its unit vector onto the undetermined space is longer than this.
/// Exact members of that space have lengths of order 1; rounding leaves about rank_tolerance.
constexpr double significant_part = 1e-3;

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Scales a direction to length 1 with the largest component positive, so that the same direction always has the same
/// name.
Vector normalized(Vector direction) {
  Index largest = 0;
  direction.cwiseAbs().maxCoeff(&largest);
  return direction / (direction[largest] < 0 ? -direction.norm() : direction.norm());
}

}  // namespace

std::string direction_name(const Vector& direction, const std::vector<std::string>& names) {
  std::vector<Index> order(direction.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return std::abs(direction[a]) > std::abs(direction[b]) + 1e-9; });
  std::string text;
  for (std::size_t k = 0; k < order.size() && k < 4; ++k) {
    const double part = direction[order[k]];
    if (std::abs(part) < 0.005) break;
    text += (text.empty() ? "" : " ") + names[order[k]] + formatted(" %s%.2f", part < 0 ? "−" : "+", std::abs(part));
  }
  return text;
}

namespace {

void check_sizes(const Vector& r, const Eigen::MatrixXd& J, const std::vector<std::string>& names,
                 const std::vector<bool>& held) {
  if (r.size() != J.rows() || static_cast<Index>(names.size()) != J.cols() || J.size() == 0 ||
      (!held.empty() && held.size() != names.size()))
    throw InvalidArgument({"", "uncertainty", "residual, Jacobian and names must agree in size and not be empty",
                           std::to_string(r.size()) + ", " + std::to_string(J.rows()) + "×" + std::to_string(J.cols()) +
                               ", " + std::to_string(names.size()),
                           ""});
  if (!r.allFinite() || !J.allFinite())
    throw InvalidArgument({"", "uncertainty", "residual and Jacobian must be finite", "", ""});
}

/// A D = J, where the columns of A have length 1 (all-zero columns stay zero); A = U S Vᵀ. Held columns are left out:
/// their rows of V are zero.
struct ScaledJacobian {
  Vector D, S;
  Eigen::MatrixXd V;
};

std::vector<Index> find_free(Index parameters, const std::vector<bool>& held) {
  std::vector<Index> free;
  for (Index k = 0; k < parameters; ++k)
    if (held.empty() || !held[k]) free.push_back(k);
  return free;
}

/// Computes the factors from the triangular factor of A.
ScaledJacobian decompose(const Eigen::MatrixXd& whole, const std::vector<Index>& free) {
  const auto P = static_cast<Index>(free.size());
  ScaledJacobian scaled{Vector::Ones(whole.cols()), Vector::Zero(P), Eigen::MatrixXd::Zero(whole.cols(), P)};
  if (P == 0) return scaled;
  const Eigen::MatrixXd J = whole(Eigen::all, free);
  const Index R = J.rows();
  Vector D = J.colwise().norm().transpose();
  for (Index k = 0; k < P; ++k)
    if (D[k] == 0) D[k] = 1;
  Eigen::MatrixXd triangle = J * D.cwiseInverse().asDiagonal();
  if (R > P)
    triangle =
        Eigen::HouseholderQR<Eigen::MatrixXd>(triangle).matrixQR().topRows(P).template triangularView<Eigen::Upper>();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(triangle, Eigen::ComputeFullV);
  scaled.S.head(svd.singularValues().size()) = svd.singularValues();
  for (Index k = 0; k < P; ++k) {
    scaled.D[free[k]] = D[k];
    scaled.V.row(free[k]) = svd.matrixV().row(k);
  }
  return scaled;
}

JacobianSpectrum make_spectrum(const ScaledJacobian& A, double rank_tolerance, const std::vector<std::string>& names) {
  const Index free = A.S.size();
  JacobianSpectrum spectrum{A.S, Eigen::MatrixXd(A.D.size(), free), 0, {}};
  const double largest = free > 0 ? A.S[0] : 0;
  while (spectrum.rank < free && A.S[spectrum.rank] > rank_tolerance * largest) ++spectrum.rank;
  for (Index k = 0; k < free; ++k) {
    const Vector direction = normalized(A.V.col(k).cwiseQuotient(A.D));
    spectrum.directions.col(k) = direction;
    if (k >= spectrum.rank)
      spectrum.weak_directions.push_back(
          {direction, largest > 0 ? A.S[k] / largest : 0, direction_name(direction, names)});
  }
  return spectrum;
}

/// Finds the parameters that the data do not determine.
void find_undetermined(const ScaledJacobian& A, const std::vector<std::string>& names, Uncertainty& u) {
  const Index P = A.D.size();
  const Eigen::MatrixXd null = A.V.rightCols(A.S.size() - u.spectrum.rank);
  u.identifiable.assign(static_cast<std::size_t>(P), true);
  u.weak_direction.resize(static_cast<std::size_t>(P));
  for (Index k = 0; k < P; ++k) {
    const Vector nearest = null * null.row(k).transpose();  // the unit vector of parameter k, projected
    if (null.cols() == 0 || nearest.norm() < significant_part) continue;
    u.identifiable[k] = false;
    u.weak_direction[k] = direction_name(normalized(nearest.cwiseQuotient(A.D)), names);
  }
}

/// Estimates the scale of the residuals, and the half width of an interval in standard errors.
ScaleEstimate estimate_scale(const Vector& r, Index rank, const UncertaintyOptions& options) {
  ScaleEstimate scale;
  scale.degrees_of_freedom = static_cast<long>(r.size() - rank);
  if (options.absolute_sigma)
    scale.s = 1;
  else if (scale.degrees_of_freedom > 0)
    scale.s = r.norm() / std::sqrt(scale.degrees_of_freedom);
  // With a known sigma, the normal distribution applies: the limit of Student's t for very many degrees of freedom.
  constexpr long very_many = 1000000000;
  if (!std::isfinite(scale.s)) return scale;
  const long degrees = options.absolute_sigma ? very_many : scale.degrees_of_freedom;
  scale.quantile = student_t_quantile(options.confidence, degrees);
  scale.one_sided = one_sided_quantile(options.confidence, degrees);
  return scale;
}

}  // namespace

double JacobianSpectrum::condition() const {
  const Index free = singular_values.size();
  const double smallest = free > 0 ? singular_values[free - 1] : 0;
  return smallest > 0 ? singular_values[0] / smallest : unlimited;
}

void fill_errors(Uncertainty& u) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const Index P = u.root.rows();
  const Eigen::MatrixXd gram = u.root * u.root.transpose();
  u.covariance = u.scale.s * u.scale.s * gram;
  u.correlation = Eigen::MatrixXd::Identity(P, P);
  u.standard_error = u.half_width = Vector::Constant(P, unlimited);
  for (Index k = 0; k < P; ++k) {
    if (u.identifiable[k]) {
      if (std::isfinite(u.scale.s)) u.standard_error[k] = std::sqrt(u.covariance(k, k));
      u.half_width[k] = u.scale.quantile * u.standard_error[k];
    } else {
      u.covariance.row(k).setConstant(unknown);
      u.covariance.col(k).setConstant(unknown);
    }
  }
  for (Index a = 0; a < P; ++a)
    for (Index b = 0; b < P; ++b) {
      const bool known = u.identifiable[a] && u.identifiable[b];
      u.correlation(a, b) = !known ? unknown : a == b ? 1 : gram(a, b) / std::sqrt(gram(a, a) * gram(b, b));
    }
}

Uncertainty compute_uncertainty(const Vector& r, const Eigen::MatrixXd& J, const std::vector<std::string>& names,
                                const UncertaintyOptions& options) {
  check_sizes(r, J, names, options.held);
  const ScaledJacobian A = decompose(J, find_free(J.cols(), options.held));
  Uncertainty u;
  u.spectrum = make_spectrum(A, options.rank_tolerance, names);
  find_undetermined(A, names, u);
  for (std::size_t k = 0; k < options.held.size(); ++k)
    if (options.held[k]) u.identifiable[k] = false;
  u.scale = estimate_scale(r, u.spectrum.rank, options);
  const Index rank = u.spectrum.rank;
  u.root = A.D.cwiseInverse().asDiagonal() * A.V.leftCols(rank) * A.S.head(rank).cwiseInverse().asDiagonal();
  fill_errors(u);
  return u;
}

void fields(FieldVisitor& v, WeakDirection& direction) {
  v.is("WeakDirection", "a direction that the recordings do not determine");
  v("name", direction.name, "its largest components: \"charge +0.71 stiffness −0.70\"");
  v("relative_singular_value", direction.relative_singular_value, "its singular value / the largest one");
}

}  // namespace pithball::optim
