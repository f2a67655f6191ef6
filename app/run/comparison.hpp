#pragma once
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "app/experiment/compare_spec.hpp"
#include "app/run/sampled_run.hpp"
#include "optim/search/ledger.hpp"

namespace pithball::app {

struct ComparedRun;

/// Completed runs of a comparison, of this program and of an earlier, interrupted one, stored on disk so that a
/// restarted comparison makes only the others.
class KeptRuns {
 public:
  /// Stored in the file of a ledger; `comparison` distinguishes several in one file.
  KeptRuns(optim::Ledger& ledger, std::string comparison) : ledger_(ledger), comparison_(std::move(comparison)) {}

  /// The reference with its samples: stored, or made by `make`.
  void reference(ComparedRun& run, std::vector<Sample>& samples, const std::function<void()>& make);
  /// Any other run, by its index.
  void run(std::size_t number, ComparedRun& run, const std::function<void()>& make);

 private:
  optim::Ledger& ledger_;
  std::string comparison_;
};

/// An error or a scale that a comparison could not compute: NaN.
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Differences between two runs over the instants at which they are compared; NaN if unknown, because the run did not
/// complete or there is no scale.
struct Deviation {
  std::vector<double> time;                 ///< instants reached by the run [s]
  std::vector<double> energy_error;         ///< |E − E_ref| at each, over `ReferenceScale::energy`
  std::vector<double> position_error;       ///< root mean square over particles of |x − x_ref| at each [m]
  double energy_mean = unknown,             ///< mean of `energy_error` over the instants
      energy_standard_deviation = unknown,  ///< of `energy_error` over the instants
      energy_max = unknown;                 ///< largest `energy_error`
  double position = unknown;                ///< root mean square over particles and instants [m]
  double position_relative = unknown;       ///< the same over the reference's largest displacement
};

/// One run of a comparison.
struct ComparedRun {
  std::string method;    ///< Method::label
  double time_step = 0;  ///< [s]
  SampledRun run;        ///< how it ended, and its cost
  Deviation deviation;   ///< from the reference; empty for the reference itself
};

/// The same experiment with several methods and time steps.
struct Comparison {
  std::map<std::string, std::string> backends;  ///< versions of the other programs, by name
  ComparedRun reference;                        ///< the run against which all others are compared
  ComparedRun check;              ///< the reference's method at half its step; its deviation is that of the reference
  std::vector<ComparedRun> rows;  ///< method by method, in the order of the experiment; none if the reference failed
  double spacing = 0;             ///< interval between the compared instants [s]: a multiple of the largest step
  EnergyScale scaled_by = EnergyScale::Exchanged;  ///< what errors of the energy are relative to
  double energy_scale = unknown;                   ///< that energy of the reference [J]; NaN if zero up to rounding
  double energy_rounding = 0;       ///< change of energies that the rounding of the steps explains, over the scale
  double position_rounding = 0;     ///< likewise of positions [m]
  double largest_displacement = 0;  ///< of a particle of the reference from its start, at the compared instants [m]

  /// The reference and its check completed.
  bool ok() const { return reference.run.status.ok() && check.run.status.ok(); }
  /// Smallest error among the completed rows; NaN if there is none.
  double smallest_energy_error() const;
  double smallest_position_error() const;  ///< likewise [m]
  /// Whether halving the reference's step changes its energies by at most a tenth of the smallest error, so that the
  /// errors are those of the methods, or by no more than rounding.
  bool has_fine_energies() const;
  bool has_fine_positions() const;  ///< likewise its positions
  /// Both, and the reference completed.
  bool reference_is_fine() const;

 private:
  bool has_fine(double Deviation::*error, double rounding) const;
};

/// Called after each step with the completed fraction, in steps of all runs.
using ComparisonProgress = std::function<void(double done)>;

/// Total number of steps of all runs; the progress of `compare` is relative to it.
double comparison_work(const CompareSpec& spec);

/// Makes the runs. Throws InvalidArgument before the first run if a requested program is missing, and
/// std::runtime_error if a program fails or an Interruption requests a stop. The runs are compared at multiples of the
/// largest step, or at multiples of a multiple of it if there would be more than a thousand instants or they would
/// exceed the experiment's memory budget. A run whose step does not divide them is compared at its first step after
/// each, and the reference is interpolated there (`sample_run`). Apart from rounding and times, the result does not
/// depend on the number of threads. With `kept`, completed runs are stored on disk, and stored runs are not repeated.
Comparison compare(const CompareSpec& spec, const ComparisonProgress& progress, KeptRuns* kept = nullptr);

/// Scales by which errors are divided.
struct ReferenceScale {
  double energy = unknown;        ///< by which energy errors are divided [J]; NaN if zero up to rounding
  double largest_energy = 0;      ///< of any kind [J]
  double displacement = 0;        ///< largest distance of a particle from its start [m]
  double largest_coordinate = 0;  ///< of a position [m]
};

/// The scales from a reference's samples, the first of which is its start.
ReferenceScale scale_of(const std::vector<Sample>& reference, EnergyScale by = EnergyScale::Exchanged);

/// Accumulates the deviation of a run from the reference.
class DeviationMeter {
 public:
  /// Starts without instants.
  explicit DeviationMeter(const ReferenceScale& scale) : scale_(scale) {}
  /// Adds an instant: the run and the reference at the same time.
  void add(const Sample& sample, const Sample& reference);
  /// `complete`: the run completed; otherwise there are no statistics, only the errors so far.
  Deviation result(bool complete) const;

 private:
  ReferenceScale scale_;
  Deviation deviation_;
};

}  // namespace pithball::app
