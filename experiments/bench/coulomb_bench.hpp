#pragma once
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::experiments {

using sim::Index;

/// What a sum has to compute: the field, the potential, both, or a product with the Jacobian of the forces.
enum class CoulombQuantity { Field, Potential, Both, Jvp, Vjp };
const std::vector<std::string>& coulomb_quantity_names();  ///< in the order of the values

/// One table: methods compared on the same points, taking turns.
struct CoulombTable {
  std::string distribution;  ///< a name of `datasets::point_sets()`
  Index n = 0;               ///< about how many points
  std::vector<std::string> methods;
  std::vector<double> tolerances;  ///< for the methods that have one
  std::vector<CoulombQuantity> quantities;
};

/// One line of a table. Times are of structure, plan and evaluation together.
struct CoulombRow {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::string method, distribution;
  Index n = 0;
  CoulombQuantity quantity = CoulombQuantity::Field;
  double tolerance = unknown;  ///< promised relative error of the field; unknown: the method has none
  double seconds = 0;
  bool extrapolated = false;   ///< seconds are those of `direct` at fewer points, times (n ratio)²
  std::vector<double> errors;  ///< relative L2, for each kind of charges
  Index targets = 0;           ///< points at which they were taken
  double direct_seconds = 0;   ///< of `direct` for the field, in the same turns
  bool direct_extrapolated = false;
  double peak_memory_mib = unknown;

  double pairs_per_second() const { return static_cast<double>(n) * static_cast<double>(n) / seconds; }
  double ratio_to_direct() const { return seconds / direct_seconds; }
  double error() const;  ///< the worst
};

/// Names that a table can hold: the plain loops, the registered methods, and `direct_single`, direct in single
/// precision.
std::vector<std::string> coulomb_bench_methods();
/// Whether a method visits every pair: plain loops and direct sums.
bool is_direct(const std::string& method);
/// Whether a method promises an error.
bool has_tolerance(const std::string& method);

/// Measures tables, remembering how fast `direct` was at the largest n so far: beyond `largest_direct` points it is
/// not run but extrapolated with n².
class CoulombBench {
 public:
  static constexpr Index largest_direct = 200000;
  /// charges: kinds of `datasets::make_charges` whose errors are taken; the first is also the one that is timed.
  /// rounds: minimum number of turns.
  CoulombBench(std::vector<std::string> charges, int rounds) : charges_(std::move(charges)), rounds_(rounds) {}

  /// Throws InvalidArgument for an unknown distribution, method or kind of charges.
  std::vector<CoulombRow> measure(const CoulombTable& table);

  const std::vector<std::string>& charges() const { return charges_; }

 private:
  double direct_seconds(Index n);

  std::vector<std::string> charges_;
  int rounds_;
  Index direct_n_ = 0;         ///< where `direct` was timed last, or at the most points
  double direct_seconds_ = 0;  ///< how long it took there
};

}  // namespace pithball::experiments
