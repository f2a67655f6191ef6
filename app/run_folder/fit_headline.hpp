#pragma once
#include <array>
#include <string>
#include <vector>

#include "app/result/fit_record.hpp"
#include "app/result/not_known.hpp"
#include "optim/fit/report.hpp"

namespace pithball::app {

/// The parameters that the file requests.
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

/// Parameters by how many there are of their value, each in their order.
struct ParametersByCount {
  std::vector<optim::FittedParameter> few,  ///< of values with at most five: five numbers would not summarize them
      many;                                 ///< of the others
};
/// Separates values that a digest summarizes from those that are listed before it.
ParametersByCount separate_by_count(const std::vector<optim::FittedParameter>& parameters);

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

/// Summary of a fit in two sentences:
///
///    The fit converged after 4 iterations and fits: misfit 4.93 mm, 1.01 × the noise, reduced χ² 0.975. charge
///    59.93(11) nC, stiffness 10.00(7) N/m.
///
/// A fault of a recording that the file does not answer (fit_record.hpp) follows the first words, with its key.
/// With several recordings, the misfit is the largest one relative to the noise. Unknown quantities are omitted, such
/// as χ² if sigma is only a weight. The first three parameters are listed, then the number of the others.
std::string fit_headline(const FitRecord& fit);

/// "charge 59.93(11) nC", "linear_drag < 59 mg/s (95 %)", "mass not identifiable"; where χ² is rough, "stiffness 80.2
/// N/m (95 % interval 70.4 N/m to 83.8 N/m)".
std::string parameter_headline(const optim::FittedParameter& parameter, double confidence);

}  // namespace pithball::app
