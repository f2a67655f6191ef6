#pragma once
#include <array>
#include <string>
#include <vector>

#include "app/result/not_known.hpp"
#include "optim/fit/report.hpp"

namespace pithball::app {

/// Those that the file asks for.
std::vector<optim::FittedParameter> requested_parameters(const std::vector<optim::FittedParameter>& parameters);
/// The others: start states, placements and other values that had to be fitted with them.
std::vector<optim::FittedParameter> nuisance_parameters(const std::vector<optim::FittedParameter>& parameters);

/// With more parameters than this, a digest is shown before, or instead of, the table.
inline constexpr std::size_t most_listed_parameters = 20;

/// Minimum, quartiles and maximum: at 0, 1/4, 1/2, 3/4 and 1 of the sorted numbers, interpolated linearly (Hyndman &
/// Fan 1996, doi:10.1080/00031305.1996.10473566, type 7). Unknown without numbers.
using FiveNumbers = std::array<double, 5>;
/// The five numbers of an unsorted sample.
FiveNumbers five_numbers(std::vector<double> numbers);

/// Summary of the many parameters of one value.
struct ValueDigest {
  std::string value,               ///< name of the value: "charge"
      unit;                        ///< of the estimates; empty: a pure number
  std::size_t count = 0;           ///< number of parameters
  FiveNumbers estimates{};         ///< physical values
  FiveNumbers relative_errors{};   ///< standard error/|estimate|, of those with a known, finite error
  std::size_t not_determined = 0,  ///< number that are not identifiable
      at_bound = 0,                ///< number on a bound
      consistent_with_zero = 0;    ///< number with an upper limit that holds
  std::size_t without_error = 0;  ///< not on a bound, and with an unknown error: it did not settle or was not requested

  /// "300 of charge: 3 not identifiable, 1 at a bound."
  std::string sentence() const;
};

/// One for each value, in order of first appearance.
std::vector<ValueDigest> digest_parameters(const std::vector<optim::FittedParameter>& parameters);

/// Indices of the (at most) `count` parameters with the largest relative standard errors, largest first. Parameters
/// that are not determined come first; those with unknown errors are omitted.
std::vector<std::size_t> least_certain(const std::vector<optim::FittedParameter>& parameters, std::size_t count);

}  // namespace pithball::app
