#include "optim/uncertainty.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "optim/student_t.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

/// Part of a unit vector in the undetermined space above which a parameter counts as undetermined itself. Exact members
/// have parts of order 1; rounding leaves about rank_tolerance.
constexpr double significant_part = 1e-3;

/// Length 1 and the largest component positive, so that the same direction always has the same name.
Vector normalised(Vector direction) {
  Index largest = 0;
  direction.cwiseAbs().maxCoeff(&largest);
  return direction / (direction[largest] < 0 ? -direction.norm() : direction.norm());
}

}  // namespace

std::string direction_name(const Vector& direction, const std::vector<std::string>& names) {
  std::vector<Index> order(static_cast<std::size_t>(direction.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return std::abs(direction[a]) > std::abs(direction[b]) + 1e-9; });
  std::string text;
  for (std::size_t k = 0; k < order.size() && k < 4; ++k) {
    const double part = direction[order[k]];
    if (std::abs(part) < 0.005) break;
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, " %s%.2f", part < 0 ? "−" : "+", std::abs(part));
    text += (text.empty() ? "" : " ") + names[static_cast<std::size_t>(order[k])] + buffer;
  }
  return text;
}

Uncertainty compute_uncertainty(const Vector& r, const Eigen::MatrixXd& J, const std::vector<std::string>& names,
                                const UncertaintyOptions& options) {
  constexpr double infinity = std::numeric_limits<double>::infinity(),
                   unknown = std::numeric_limits<double>::quiet_NaN();
  const Index R = J.rows(), P = J.cols();
  if (r.size() != R || static_cast<Index>(names.size()) != P || P == 0 || R == 0)
    throw InvalidArgument({"", "uncertainty", "residual, Jacobian and names must agree in size and not be empty",
                           std::to_string(r.size()) + ", " + std::to_string(R) + "×" + std::to_string(P) + ", " +
                               std::to_string(names.size()),
                           ""});
  if (!r.allFinite() || !J.allFinite())
    throw InvalidArgument({"", "uncertainty", "residual and Jacobian must be finite", "", ""});

  // J = A D with columns of length 1 in A; an all-zero column stays zero. A = U S Vᵀ, found from the triangular factor
  // of A.
  Vector D = J.colwise().norm().transpose();
  for (Index k = 0; k < P; ++k)
    if (D[k] == 0) D[k] = 1;
  Eigen::MatrixXd triangle = J * D.cwiseInverse().asDiagonal();
  if (R > P)
    triangle =
        Eigen::HouseholderQR<Eigen::MatrixXd>(triangle).matrixQR().topRows(P).template triangularView<Eigen::Upper>();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(triangle, Eigen::ComputeFullV);
  const Eigen::MatrixXd& V = svd.matrixV();

  Uncertainty u;
  u.singular_values = Vector::Zero(P);
  u.singular_values.head(svd.singularValues().size()) = svd.singularValues();
  const double largest = u.singular_values[0];
  u.condition = u.singular_values[P - 1] > 0 ? largest / u.singular_values[P - 1] : infinity;
  while (u.rank < P && u.singular_values[u.rank] > options.rank_tolerance * largest) ++u.rank;
  u.degrees_of_freedom = static_cast<long>(R - u.rank);

  const Eigen::MatrixXd null = V.rightCols(P - u.rank);
  u.directions.resize(P, P);
  for (Index k = 0; k < P; ++k) u.directions.col(k) = normalised(V.col(k).cwiseQuotient(D));
  u.identifiable.assign(static_cast<std::size_t>(P), true);
  u.weak_direction.resize(static_cast<std::size_t>(P));
  for (Index k = 0; k < P; ++k) {
    const Vector nearest = null * null.row(k).transpose();  // the unit vector of parameter k, projected
    if (null.cols() == 0 || nearest.norm() < significant_part) continue;
    u.identifiable[static_cast<std::size_t>(k)] = false;
    u.weak_direction[static_cast<std::size_t>(k)] = direction_name(normalised(nearest.cwiseQuotient(D)), names);
  }
  for (Index c = 0; c < null.cols(); ++c) {
    const Vector direction = u.directions.col(u.rank + c);
    u.weak_directions.push_back(
        {direction, largest > 0 ? u.singular_values[u.rank + c] / largest : 0, direction_name(direction, names)});
  }

  if (options.sigma_is_known)
    u.s = 1;
  else if (u.degrees_of_freedom > 0)
    u.s = r.norm() / std::sqrt(static_cast<double>(u.degrees_of_freedom));
  // With sigma known the normal distribution holds; its quantile is that of very many degrees of freedom.
  constexpr long very_many = 1000000000;
  const bool has_scale = std::isfinite(u.s);
  const double t = u.quantile =
      !has_scale ? infinity
                 : student_t_quantile(options.confidence, options.sigma_is_known ? very_many : u.degrees_of_freedom);

  const Eigen::MatrixXd root =
      D.cwiseInverse().asDiagonal() * V.leftCols(u.rank) * u.singular_values.head(u.rank).cwiseInverse().asDiagonal();
  u.covariance = u.s * u.s * root * root.transpose();
  u.correlation = Eigen::MatrixXd::Identity(P, P);
  u.standard_error = u.half_width = Vector::Constant(P, infinity);
  for (Index k = 0; k < P; ++k) {
    if (u.identifiable[static_cast<std::size_t>(k)]) {
      if (has_scale) u.standard_error[k] = std::sqrt(u.covariance(k, k));
      u.half_width[k] = t * u.standard_error[k];
    } else {
      u.covariance.row(k).setConstant(unknown);
      u.covariance.col(k).setConstant(unknown);
    }
  }
  const Eigen::MatrixXd gram = root * root.transpose();
  for (Index a = 0; a < P; ++a)
    for (Index b = 0; b < P; ++b) {
      const bool known = u.identifiable[static_cast<std::size_t>(a)] && u.identifiable[static_cast<std::size_t>(b)];
      u.correlation(a, b) = !known ? unknown : a == b ? 1 : gram(a, b) / std::sqrt(gram(a, a) * gram(b, b));
    }
  return u;
}

}  // namespace pithball::optim
