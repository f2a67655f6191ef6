#include "optim/uncertainty/identifiability.hpp"

#include <cmath>

#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;

// Residuals whose derivatives are written by hand, of a fit of two values on a logarithmic scale.

namespace {

std::vector<std::string> said_of(const Eigen::MatrixXd& J, Parameter second = test::shared("mass")) {
  const diff::Scenario scenario = test::make_body("a");
  Parameter stiffness = test::shared("stiffness");
  stiffness.range.transform = second.range.transform = Transform::Kind::Log;
  const ParameterMap map({scenario}, {stiffness, second});
  UncertaintyOptions options;
  options.absolute_sigma = true;
  return describe_lone_combinations(map, map.initial(), J,
                                    compute_uncertainty(Vector::Zero(J.rows()), J, map.names(), options));
}

/// d r/dθ of residuals that feel θ along `known` with the strength 1000, and across it with `strength`.
Eigen::MatrixXd slopes(const Eigen::Vector2d& known, double strength) {
  Eigen::MatrixXd J(4, 2);
  J.topRows<2>().setZero();
  J.row(0) = 1000 * known.normalized().transpose();
  J.row(1) = strength * Eigen::Vector2d(-known[1], known[0]).normalized().transpose();
  J.bottomRows<2>().setZero();
  return J;
}

}  // namespace

TEST_CASE("lone combination: a ratio or product that the data know alone is named", "[optim][uncertainty]") {
  using Direction = Eigen::Vector2d;
  for (const double strength : {0.0, 1e-3, 0.1}) {
    INFO("strength " << strength);
    const auto starts = [&](const Direction& known, const std::string& words) {
      const std::vector<std::string> said = said_of(slopes(known, strength));
      REQUIRE(said.size() == 1);
      INFO(said[0]);
      CHECK(said[0].starts_with("only " + words + " is determined, not stiffness and mass one by one"));
    };
    starts({1, -1}, "stiffness/mass");
    starts({1, 1}, "stiffness · mass");
    starts({1, -2}, "stiffness/mass²");
    starts({2, 1}, "stiffness² · mass");
  }
}

TEST_CASE("lone combination: nothing is said where both are known, or neither", "[optim][uncertainty]") {
  CHECK(said_of(slopes({1, -1}, 100)).empty());
  CHECK(said_of(slopes({1, -1}, 10)).empty());   // both to within a factor
  CHECK(said_of(slopes({1, -5}, 0)).empty());    // no simple combination
  CHECK(said_of(slopes({1, 0}, 1e-3)).empty());  // one alone
}

TEST_CASE("lone combination: a start or pose has no ratio to a stiffness", "[optim][uncertainty]") {
  Parameter velocity = test::shared("velocity", 1.5);
  velocity.entries.selected = {1};
  velocity.entries.components = "x";
  CHECK(said_of(slopes({1, -1}, 0)).size() == 1);
  CHECK(said_of(slopes({1, -1}, 0), velocity).empty());
}
