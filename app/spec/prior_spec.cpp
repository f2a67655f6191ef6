#include "app/spec/prior_spec.hpp"

namespace pithball::app {
namespace {

using sim::ValueSign;

optim::GaussianPrior read_gaussian(Node node, const std::string& unit) {
  const double mean = node.number("mean", unit, "expected value, in the value's unit");
  return {mean, node.number("deviation", unit, "standard deviation, in the value's unit", {}, ValueSign::Positive)};
}

optim::LognormalPrior read_lognormal(Node node, const std::string& unit) {
  const double median = node.number("median", unit, "expected value, in the value's unit", {}, ValueSign::Positive);
  return {median,
          node.number("deviation", "", "standard deviation of its logarithm, about the relative one: 0.2 or 20 %", {},
                      ValueSign::Positive)};
}

optim::SparsePrior read_sparse(Node node, const std::string& unit) {
  const double value = node.number("value", unit, "where most are, in the value's unit");
  return {value, node.number("scale", unit, "mean distance of the exceptions", {}, ValueSign::Positive)};
}

optim::SmoothPrior read_smooth(Node node, const std::string& unit) {
  const auto absolute = node.optional_number(
      "deviation", unit, "standard deviation of neighbours' differences, in the value's unit", ValueSign::Positive);
  const auto relative = node.optional_number(
      "relative_deviation", "", "instead: of the differences of their logarithms, 0.05 or 5 %", ValueSign::Positive);
  if (!node.describing() && absolute.has_value() == relative.has_value())
    node.refuse("", "must have either deviation or relative_deviation", absolute ? "both" : "none of them",
                "write `smooth: {relative_deviation: 5 %}`");
  if (relative) return {*relative, true};
  return {absolute.value_or(1), false};
}

}  // namespace

std::vector<optim::Prior> read_priors(Node& settings, const std::string& unit) {
  if (!settings.has("prior")) return {};
  Node prior = settings.child("prior", "what is believed before the data, one kind or several; it counts as data");
  std::vector<optim::Prior> priors;
  const auto kind = [&](const char* name, const char* meaning, auto read) {
    if (prior.has(name)) priors.push_back(read(prior.child(name, meaning), unit));
  };
  kind(optim::GaussianPrior::name, "near a value", read_gaussian);
  kind(optim::LognormalPrior::name, "near a value, right to a factor", read_lognormal);
  kind(optim::SparsePrior::name, "at one value, with few exceptions (smoothed Laplace distribution)", read_sparse);
  kind(optim::SmoothPrior::name, "similar to the neighbours on the mesh; with `share: none` or `group`", read_smooth);
  if (priors.empty())
    settings.refuse("prior", "must name a kind of prior", "none",
                    "write gaussian, lognormal, sparse or smooth below it");
  return priors;
}

}  // namespace pithball::app
