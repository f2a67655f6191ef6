#pragma once
#include <string>
#include <vector>

namespace pithball::experiments {

/// One number made of several; NaN of none, and where one of them is NaN.
struct Reduction {
  const char* name;
  const char* meaning;
  double (*of)(std::vector<double> numbers);
};

/// value (of exactly one), median, spread, mean, rms, sum, largest, smallest, middle, half_range, positive.
const std::vector<Reduction>& reductions();
std::vector<std::string> names_of_reductions();
/// The reduction of that name, which must be there.
const Reduction& find_reduction(const std::string& name);

}  // namespace pithball::experiments
