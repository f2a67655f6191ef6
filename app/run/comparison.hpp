#pragma once
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "app/run/kept_runs.hpp"
#include "app/run/sampled_run.hpp"
#include "app/spec/compare_spec.hpp"

namespace pithball::app {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// How far one run is from another over the instants at which both are compared; NaN where it cannot be said, because
/// the run did not come to its end or there is no scale to measure by.
struct Deviation {
  std::vector<double> time;          ///< instants that the run reached [s]
  std::vector<double> energy_error;  ///< |E − E_ref| / scale at each; the scale is the reference's |E| at the instant
                                     ///< or, if its E is zero or changes sign somewhere, the largest |E|
  std::vector<double> position_error;  ///< root mean square over particles of |x − x_ref| at each [m]
  double energy_mean = unknown, energy_standard_deviation = unknown, energy_max = unknown;
  double position = unknown;           ///< root mean square over particles and instants [m]
  double position_relative = unknown;  ///< the same over the reference's largest displacement
};

/// One run of a comparison.
struct ComparedRun {
  std::string method;
  double time_step = 0;  ///< [s]
  SampledRun run;
  Deviation deviation;  ///< from the reference; of the reference itself: empty
};

/// The same experiment by several methods at several steps.
struct Comparison {
  std::map<std::string, std::string> backends;  ///< the other programs' own names and versions, by their names
  ComparedRun reference;
  ComparedRun check;  ///< the reference's method at half its step, and how far the reference's result is from it
  std::vector<ComparedRun> rows;  ///< method by method, in the order of the experiment; none where the reference failed
  double spacing = 0;             ///< of the instants that are compared [s]: a multiple of the largest step
  bool energy_by_instant = true;  ///< the scale of energy errors is |E| at each instant; else the largest |E|
  double energy_scale = unknown;  ///< largest |E| of the reference [J]; NaN if it is zero but for rounding
  double largest_displacement = 0;  ///< of a particle of the reference from its start, at the instants compared [m]

  /// The reference and its check came to their ends.
  bool ok() const { return reference.run.status.ok() && check.run.status.ok(); }
  /// Smallest error of a row that came to its end; NaN if there is none.
  double smallest_energy_error() const;
  double smallest_position_error() const;  ///< likewise [m]
  /// Whether halving the reference's step changes it by at most a tenth of the smallest errors found, in energy and in
  /// position, so that these errors are the methods' own.
  bool reference_is_fine() const;
};

/// Told after each step how much of the whole is done, in steps of all runs.
using ComparisonProgress = std::function<void(double done)>;

/// Steps of all runs together: the whole of which `compare` tells the progress.
double comparison_work(const CompareSpec& spec);

/// Makes the runs. Throws InvalidArgument before the first if a program that is asked for is absent, and
/// std::runtime_error if one breaks or an Interruption was asked to stop. The runs are compared at multiples of the
/// largest step, or of a multiple of it where that would be more than a thousand instants or more than the experiment's
/// memory budget; a run whose step does not divide them is compared at its first step from each on, and the reference
/// is interpolated there (`sample_run`). The result does not depend on the number of threads but for rounding and
/// seconds. With `kept`, runs that are finished are kept on disk, and those that are kept already are not made again.
Comparison compare(const CompareSpec& spec, const ComparisonProgress& progress, KeptRuns* kept = nullptr);

}  // namespace pithball::app
