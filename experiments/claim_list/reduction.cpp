#include "experiments/claim_list/reduction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "experiments/claim/statistics.hpp"
#include "experiments/claim/worst.hpp"

namespace pithball::experiments {
namespace {

using Numbers = std::vector<double>;

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

double value(Numbers numbers) { return numbers.size() == 1 ? numbers.front() : nothing; }
double sum(Numbers numbers) { return numbers.empty() ? nothing : std::reduce(numbers.begin(), numbers.end()); }
double mean(Numbers numbers) { return sum(numbers) / static_cast<double>(numbers.size()); }
double rms(Numbers numbers) { return root_mean_square(numbers); }

double spread(Numbers numbers) {
  const double middle = median(numbers);
  for (double& number : numbers) number = std::abs(number - middle);
  return 1.4826 * median(std::move(numbers));  // a standard deviation, were they normal
}

Worst range_of(const Numbers& numbers) {
  Worst range;
  for (const double number : numbers) range.add(number);
  return range;
}

double largest(Numbers numbers) { return range_of(numbers).largest(); }
double smallest(Numbers numbers) { return range_of(numbers).smallest(); }
double middle(Numbers numbers) { return (largest(numbers) + smallest(numbers)) / 2; }
double half_range(Numbers numbers) { return (largest(numbers) - smallest(numbers)) / 2; }
double positive(Numbers numbers) {
  return static_cast<double>(std::ranges::count_if(numbers, [](double number) { return number > 0; }));
}

}  // namespace

const std::vector<Reduction>& reductions() {
  static const std::vector<Reduction> all{
      {"value", "the number, of exactly one", value},
      {"median", "the middle one", median},
      {"spread", "1.4826 times the median distance from the median", spread},
      {"mean", "the mean", mean},
      {"rms", "the root of the mean square", rms},
      {"sum", "the sum", sum},
      {"largest", "the largest", largest},
      {"smallest", "the smallest", smallest},
      {"middle", "half-way between the smallest and the largest", middle},
      {"half_range", "half the distance between the smallest and the largest", half_range},
      {"positive", "how many are greater than 0", positive},
  };
  return all;
}

std::vector<std::string> names_of_reductions() {
  std::vector<std::string> names;
  for (const Reduction& reduction : reductions()) names.emplace_back(reduction.name);
  return names;
}

const Reduction& find_reduction(const std::string& name) {
  return *std::ranges::find_if(reductions(), [&](const Reduction& reduction) { return reduction.name == name; });
}

}  // namespace pithball::experiments
