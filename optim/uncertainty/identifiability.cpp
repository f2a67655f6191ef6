#include "optim/uncertainty/identifiability.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

/// Returns the exponent of λ in the two variants of the symmetry (see ScaleSymmetry), with and without interaction of
/// charges.
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

/// Writes the power of the value that is proportional to λ.
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
      if (parts[k] <= tolerance * largest) continue;  // without effect, hence not a member
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

namespace {

/// Smallest component of a direction in ln p, relative to the largest, that is not neglected; also the relative
/// tolerance of proportions.
constexpr double distinct = 0.05;

struct Member {
  std::string name;
  double growth;  ///< d ln p along the direction
};

/// The members of a direction; empty if one of them is 0, which has no logarithm, or is not an amount, such as a
/// component of a pose, whose ratio to another value is meaningless.
std::vector<Member> members_of(const Vector& growth, const std::vector<ParameterInfo>& infos) {
  std::vector<Member> members;
  if (!growth.allFinite()) return members;
  const double largest = growth.cwiseAbs().maxCoeff();
  for (Index k = 0; k < growth.size(); ++k)
    if (std::abs(growth[k]) > distinct * largest) {
      const sim::ValueScaling scaling = infos[k].scaling;
      if (scaling == sim::ValueScaling::Unstated || scaling == sim::ValueScaling::Invariant) return {};
      members.push_back({infos[k].name, growth[k]});
    }
  return members;
}

/// Names the combination of two members, such as "charge/linear_drag", that stays constant if their logarithms change
/// in this proportion.
std::optional<std::string> constant_of(const Member& a, const Member& b) {
  struct Power {
    double proportion;
    const char *of_a, *of_b;
  };
  constexpr std::array<Power, 3> powers{{{1, "", ""}, {2, "", "²"}, {0.5, "²", ""}}};  // a^|growth of b| / b^|of a|
  const double proportion = a.growth / b.growth;
  for (const Power& power : powers)
    if (std::abs(std::abs(proportion) / power.proportion - 1) < distinct)
      return a.name + power.of_a + (proportion > 0 ? "/" : " · ") + b.name + power.of_b;
  return {};
}

}  // namespace

std::vector<std::string> describe_lone_combinations(const ParameterMap& map, const Vector& theta,
                                                    const Eigen::MatrixXd& J, const Uncertainty& u) {
  const Vector relative_slope = map.physical_derivative(theta).cwiseQuotient(map.physical(theta));
  std::vector<std::string> said;
  for (Index k = 0; k < u.spectrum.directions.cols(); ++k) {
    const Vector direction = u.spectrum.directions.col(k);
    const std::vector<Member> members = members_of(relative_slope.cwiseProduct(direction), map.info());
    if (members.size() != 2) continue;
    const double known = (J * direction).norm();  // change of the residuals for a step of length 1 along it
    const double reach =
        u.scale.quantile * u.scale.s * std::max(std::abs(members[0].growth), std::abs(members[1].growth));
    if (!(reach > std::log(identifiable_factor) * known)) continue;
    if (const auto constant = constant_of(members[0], members[1]))
      said.push_back("only " + *constant + " is determined, not " + members[0].name + " and " + members[1].name +
                     " one by one: fix one of them, or record a motion in which they act differently");
  }
  return said;
}

}  // namespace pithball::optim
