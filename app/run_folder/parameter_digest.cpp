#include "app/run_folder/parameter_digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace pithball::app {
namespace {

/// Infinite where it is not determined; not known where its error is not.
double relative_error(const optim::FittedParameter& p) {
  return p.identifiable ? p.standard_error / std::abs(p.estimate) : std::numeric_limits<double>::infinity();
}

}  // namespace

std::string ValueDigest::sentence() const {
  std::string doubts;
  const auto add = [&](std::size_t some, const char* what) {
    if (some > 0) doubts += fmt::format("{}{} {}", doubts.empty() ? ": " : ", ", some, what);
  };
  add(not_determined, "not identifiable");
  add(at_bound, "at a bound");
  add(consistent_with_zero, "consistent with 0");
  add(without_error, "with an unknown error");
  return fmt::format("{} of {}{}.", count, value, doubts);
}

std::vector<optim::FittedParameter> requested_parameters(const std::vector<optim::FittedParameter>& parameters) {
  std::vector<optim::FittedParameter> requested;
  std::ranges::copy_if(parameters, std::back_inserter(requested),
                       [](const optim::FittedParameter& p) { return !p.scope.is_nuisance; });
  return requested;
}

std::vector<optim::FittedParameter> nuisance_parameters(const std::vector<optim::FittedParameter>& parameters) {
  std::vector<optim::FittedParameter> nuisance;
  std::ranges::copy_if(parameters, std::back_inserter(nuisance),
                       [](const optim::FittedParameter& p) { return p.scope.is_nuisance; });
  return nuisance;
}

FiveNumbers five_numbers(std::vector<double> numbers) {
  std::erase_if(numbers, [](double number) { return !std::isfinite(number); });
  FiveNumbers five;
  five.fill(not_known);
  if (numbers.empty()) return five;
  std::ranges::sort(numbers);
  for (std::size_t q = 0; q < five.size(); ++q) {
    const double place = (numbers.size() - 1) * q / 4.0;
    const std::size_t below = place;
    const std::size_t above = std::min(below + 1, numbers.size() - 1);
    five[q] = std::lerp(numbers[below], numbers[above], place - below);
  }
  return five;
}

std::vector<ValueDigest> digest_parameters(const std::vector<optim::FittedParameter>& parameters) {
  std::vector<ValueDigest> digests;
  std::vector<std::vector<double>> estimates, errors;
  for (const optim::FittedParameter& p : parameters) {
    auto found = std::ranges::find(digests, p.value, &ValueDigest::value);
    if (found == digests.end()) {
      found = digests.insert(found, ValueDigest{});
      found->value = p.value;
      found->unit = p.unit;
      estimates.emplace_back();
      errors.emplace_back();
    }
    const std::size_t k = found - digests.begin();
    ++found->count;
    if (!p.identifiable) ++found->not_determined;
    if (p.interval.at_bound) ++found->at_bound;
    if (p.identifiable && !p.interval.at_bound && std::isnan(p.standard_error)) ++found->without_error;
    if (!std::isnan(p.interval.upper_limit) && p.interval.limit_holds) ++found->consistent_with_zero;
    estimates[k].push_back(p.estimate);
    errors[k].push_back(relative_error(p));
  }
  for (std::size_t k = 0; k < digests.size(); ++k) {
    digests[k].estimates = five_numbers(std::move(estimates[k]));
    digests[k].relative_errors = five_numbers(std::move(errors[k]));
  }
  return digests;
}

std::vector<std::size_t> least_certain(const std::vector<optim::FittedParameter>& parameters, std::size_t count) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < parameters.size(); ++k)
    if (!std::isnan(relative_error(parameters[k]))) order.push_back(k);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return relative_error(parameters[a]) > relative_error(parameters[b]);
  });
  order.resize(std::min(order.size(), count));
  return order;
}

}  // namespace pithball::app
