#include "app/spec/frame_weight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/field/expression_grammar.hpp"

namespace pithball::app {
namespace {

/// Piecewise linear, constant beyond the ends.
double interpolate(const std::vector<double>& times, const std::vector<double>& values, double t) {
  const auto next = std::ranges::upper_bound(times, t);
  if (next == times.begin()) return values.front();
  if (next == times.end()) return values.back();
  const auto k = static_cast<std::size_t>(next - times.begin());
  return values[k - 1] + (values[k] - values[k - 1]) * (t - times[k - 1]) / (times[k] - times[k - 1]);
}

std::vector<double> weights_of_table(Node weight, const std::vector<double>& at) {
  const std::vector<double> times = weight.numbers("times", "s", ""), values = weight.numbers("values", "", "");
  if (times.empty() || !std::ranges::is_sorted(times, std::less_equal<>()))
    weight.reject("times", "must be ascending times, at least one", fmt::format("{}", fmt::join(times, ", ")),
                  "write times: [0 s, 1 s]");
  if (values.size() != times.size())
    weight.reject("values", fmt::format("must have one number for each of the {} times", times.size()),
                  fmt::format("{}", values.size()), "give as many as `times`");
  std::vector<double> weights;
  for (const double t : at) weights.push_back(interpolate(times, values, t));
  return weights;
}

std::vector<double> weights_of_expression(Node& node, const std::vector<double>& at) {
  const std::string expression = node.text("weight", "");
  const sim::ExpressionProgram program =
      node.located("weight", [&] { return sim::compile_expression(expression, {"t"}); });
  std::vector<double> weights(at.size());
  const sim::ExpressionVariable time{at.data(), 1};
  program.evaluate<double>({&time, 1}, std::ssize(at), [&](Index k, double w) { weights[k] = w; });
  return weights;
}

}  // namespace

std::vector<double> read_weight(Node& node, const std::vector<double>& at) {
  if (node.describing())
    node.document("weight", "expression in t [s], or {times, values}", "1",
                  "weight of a frame, > 0: its residuals are multiplied by this function of simulated time; exp(1.5*t) "
                  "gives the late, small oscillations of a decaying motion the same influence as the early ones");
  if (node.describing() || !node.has("weight")) return node.ignore("weight"), std::vector<double>();
  std::vector<double> weights =
      node.is_map("weight") ? weights_of_table(node.form("weight"), at) : weights_of_expression(node, at);
  for (std::size_t f = 0; f < at.size(); ++f)
    if (!(weights[f] > 0) || !std::isfinite(weights[f]))
      node.reject("weight", "must be > 0 in every frame", fmt::format("{:g} at t = {:g} s", weights[f], at[f]),
                  "frames that shall not count are left out with `frames:`");
  return weights;
}

}  // namespace pithball::app
