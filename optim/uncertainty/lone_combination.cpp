#include "optim/uncertainty/lone_combination.hpp"

#include <array>
#include <cmath>
#include <optional>

namespace pithball::optim {
namespace {

/// Parts of a direction in ln p below this are none, and proportions are told apart by it.
constexpr double distinct = 0.05;

struct Member {
  std::string name;
  double growth;  ///< d ln p along the direction
};

/// The members of a direction; empty: it has one that is 0, whose logarithm does not exist, or one that is no amount of
/// something, such as a component of a pose, whose ratio to another value says nothing.
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

/// "charge/linear_drag": what does not change where the logarithms of two members do in this proportion.
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

std::vector<std::string> say_lone_combinations(const ParameterMap& map, const Vector& theta, const Eigen::MatrixXd& J,
                                               const Uncertainty& u) {
  const Vector relative_slope = map.physical_derivative(theta).cwiseQuotient(map.physical(theta));
  std::vector<std::string> said;
  for (Index k = 0; k < u.spectrum.directions.cols(); ++k) {
    const Vector direction = u.spectrum.directions.col(k);
    const std::vector<Member> members = members_of(relative_slope.cwiseProduct(direction), map.info());
    if (members.size() != 2) continue;
    const double known = (J * direction).norm();  // a step of length 1 along it changes the residuals by so much
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
