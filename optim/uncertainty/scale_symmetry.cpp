#include "optim/uncertainty/scale_symmetry.hpp"

#include <algorithm>

#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

/// The exponent of λ in the two variants of the symmetry, see ScaleSymmetry: charges act on each other; they do not.
double exponent_of(sim::ValueScaling scaling, bool charges_interact) {
  switch (scaling) {
    case sim::ValueScaling::Force:
    case sim::ValueScaling::Stiffness:
    case sim::ValueScaling::Inertia:
      return 1;
    case sim::ValueScaling::InverseForce:
    case sim::ValueScaling::Compliance:
      return -1;
    case sim::ValueScaling::Charge:
      return charges_interact ? 0.5 : 1;
    case sim::ValueScaling::ExternalField:
      return charges_interact ? 0.5 : 0;
    case sim::ValueScaling::Invariant:
    case sim::ValueScaling::Unstated:
      break;
  }
  return 0;
}

/// What of the value grows in proportion to λ.
std::string as_it_grows(const std::string& value, double exponent) {
  return exponent == 0.5 ? value + "²" : exponent == -1 ? "1/" + value : value;
}

}  // namespace

std::string ScaleSymmetry::sentence() const {
  std::string list;
  for (std::size_t k = 0; k < members.size(); ++k)
    list += (k == 0 ? "" : k + 1 < members.size() ? ", " : " and ") + members[k];
  return list + " can " + (members.size() == 2 ? "both" : "all") +
         " be multiplied by one factor without any change of the motion; fix one of them, preferably a mass, or add a "
         "known force";
}

std::optional<ScaleSymmetry> find_scale_symmetry(const ParameterMap& map, const Vector& theta, const Eigen::MatrixXd& J,
                                                 double tolerance) {
  const Index P = map.size();
  if (theta.size() != P || J.cols() != P)
    throw InvalidArgument({"", "scale symmetry", "theta and Jacobian must have one entry for each parameter",
                           std::to_string(theta.size()) + ", " + std::to_string(J.cols()), ""});
  const Vector p = map.physical(theta), slope = map.physical_derivative(theta);
  for (const bool charges_interact : {true, false}) {
    const auto exponent = [&](Index k) { return exponent_of(map.info()[k].scaling, charges_interact); };
    ScaleSymmetry symmetry{Vector::Zero(P), {}};
    for (Index k = 0; k < P; ++k)  // dp/d(log λ) = exponent · p
      symmetry.direction[k] = exponent(k) * p[k] / slope[k];
    const Vector parts = symmetry.direction.cwiseAbs().cwiseProduct(J.colwise().norm().transpose());
    const double largest = parts.size() > 0 ? parts.maxCoeff() : 0;
    for (Index k = 0; k < P; ++k) {
      if (parts[k] <= tolerance * largest) continue;  // without effect: it takes no part
      const std::string member = as_it_grows(map.info()[k].value, exponent(k));
      if (std::find(symmetry.members.begin(), symmetry.members.end(), member) == symmetry.members.end())
        symmetry.members.push_back(member);
    }
    if (symmetry.members.size() > 1 && (J * symmetry.direction).norm() <= tolerance * parts.norm()) return symmetry;
  }
  return std::nullopt;
}

void remove_scale_symmetry(const ParameterMap& map, const Vector& theta, Eigen::MatrixXd& J) {
  const auto symmetry = find_scale_symmetry(map, theta, J);
  if (!symmetry) return;
  const Vector direction = symmetry->direction.normalized(), along = J * direction;
  J -= along * direction.transpose();
}

}  // namespace pithball::optim
