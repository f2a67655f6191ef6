#pragma once
#include <array>
#include <string>
#include <vector>

#include "app/run_folder/not_known.hpp"
#include "optim/fit/fit.hpp"

namespace pithball::app {

/// Beyond so many parameters a digest of them is shown before, or instead of, the table.
inline constexpr std::size_t most_listed_parameters = 20;

/// Least number, quartiles and largest number: at 0, 1/4, 1/2, 3/4 and 1 of the ordered numbers, between neighbors in
/// proportion (Hyndman & Fan 1996, doi:10.1080/00031305.1996.10473566, type 7). Not known without a number.
using FiveNumbers = std::array<double, 5>;
FiveNumbers five_numbers(std::vector<double> numbers);

/// What many parameters of one value have in common.
struct ValueDigest {
  std::string value, unit;
  std::size_t count = 0;
  FiveNumbers estimates{};
  FiveNumbers relative_errors{};  ///< standard error/|estimate|, of those whose error is known and finite
  std::size_t not_determined = 0, at_bound = 0, consistent_with_zero = 0;
  std::size_t without_error = 0;  ///< not on a bound, and the error is not known: it had not settled, or is not wanted

  /// "300 of charge: 3 not identifiable, 1 at a bound."
  std::string sentence() const;
};

/// One for each value, in the order in which they come first.
std::vector<ValueDigest> digest_parameters(const std::vector<optim::FittedParameter>& parameters);

/// Numbers of the (at most) `count` parameters whose relative standard error is the largest, largest first; those that
/// are not determined come before all others, and those whose error is not known are left out.
std::vector<std::size_t> least_certain(const std::vector<optim::FittedParameter>& parameters, std::size_t count);

}  // namespace pithball::app
