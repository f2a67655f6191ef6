#include "app/spec/prior_spec.hpp"

namespace pithball::app {
namespace {

using sim::ValueSign;

optim::GaussianPrior read_gaussian(Node node, const std::string& unit) {
  const double mean = node.number("mean", unit, "expected value, in the value's unit");
  return {mean,
          node.number("standard_deviation", unit, "standard deviation, in the value's unit", {}, ValueSign::Positive)};
}

optim::LognormalPrior read_lognormal(Node node, const std::string& unit) {
  const double median = node.number("median", unit, "median, in the value's unit", {}, ValueSign::Positive);
  return {median, node.number("standard_deviation", "",
                              "standard deviation of the logarithm, about equal to the relative one: 0.2 or 20 %", {},
                              ValueSign::Positive)};
}

optim::LaplacePrior read_laplace(Node node, const std::string& unit) {
  const double location = node.number("location", unit, "value of most entries, in the value's unit");
  return {location,
          node.number("scale", unit, "mean distance of the exceptions from the location", {}, ValueSign::Positive)};
}

optim::SmoothPrior read_smooth(Node node, const std::string& unit) {
  const auto absolute = node.optional_number(
      "standard_deviation", unit, "standard deviation of the differences between neighbors, in the value's unit",
      ValueSign::Positive);
  const auto relative = node.optional_number("relative_standard_deviation", "",
                                             "standard deviation of the differences between logarithms of neighbors, "
                                             "0.05 or 5 %; instead of `standard_deviation`",
                                             ValueSign::Positive);
  if (!node.describing() && absolute && relative)
    node.reject("", "must have at most one of standard_deviation and relative_standard_deviation", "both",
                "write `smooth: {relative_standard_deviation: 5 %}`, or `smooth: {}` to find it from the recordings");
  if (relative) return {*relative, true};
  if (absolute) return {*absolute, false};
  return {.open = true};
}

}  // namespace

std::vector<optim::Prior> read_priors(Node& settings, const std::string& unit) {
  if (!settings.has("prior")) return {};
  Node prior =
      settings.child("prior", "prior distribution, of one or several kinds; enters the cost like a measurement");
  std::vector<optim::Prior> priors;
  const auto kind = [&](const char* name, const char* meaning, auto read) {
    if (prior.has(name)) priors.push_back(read(prior.child(name, meaning), unit));
  };
  kind(optim::GaussianPrior::name, "normal distribution around a value", read_gaussian);
  kind(optim::LognormalPrior::name, "lognormal distribution: known to within a factor", read_lognormal);
  kind(optim::LaplacePrior::name, "most entries at one value, with few exceptions (smoothed Laplace distribution)",
       read_laplace);
  kind(optim::SmoothPrior::name,
       "similar values of neighbors on the mesh; with `share: none` or `group`. {}: a fit finds how similar",
       read_smooth);
  if (priors.empty())
    settings.reject("prior", "must be a kind of prior", "none",
                    "write gaussian, lognormal, laplace or smooth below it");
  return priors;
}

}  // namespace pithball::app
