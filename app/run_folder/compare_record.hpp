#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/run_folder/not_known.hpp"
#include "sim/core/types.hpp"

namespace pithball::app {

using sim::Index;

/// What one run of a comparison was, how it ended and what it took.
struct RunFigures {
  std::string method;
  double time_step = 0;  ///< [s]
  std::string status;    ///< "ok", "diverged" or "not_converged"
  Index steps = 0;       ///< made, that which failed included
  double seconds = 0;    ///< of the steps alone
  double compile_seconds = not_known;
  long force_evaluations = 0;
  std::optional<long> coulomb_evaluations;  ///< unknown to runs that were made before they were counted
  long linear_solves = 0, cg_iterations = 0, capped_substeps = 0;

  bool ok() const { return status == "ok"; }
};

/// Errors at each of the instants that a run reached.
struct ErrorsOverTime {
  std::vector<double> time;            ///< [s]
  std::vector<double> energy_error;    ///< relative
  std::vector<double> position_error;  ///< root mean square over particles [m]
};

/// A run with its errors against the reference; those that cannot be said are `not_known`.
struct MeasuredRun {
  RunFigures run;
  double energy_mean = not_known, energy_standard_deviation = not_known, energy_max = not_known;
  double position = not_known;           ///< root mean square over particles and instants [m]
  double position_relative = not_known;  ///< over the reference's largest displacement
  std::optional<ErrorsOverTime> over_time;
};

/// What a comparison measures by.
struct ReferenceRun {
  RunFigures run;
  std::optional<MeasuredRun> check;  ///< the same at half the step; none where the reference failed
  std::optional<bool> fine_enough;   ///< none where it or its check failed
};

/// compare.json.
struct CompareRecord {
  std::map<std::string, std::string> backends;  ///< versions of other programs, by their names
  ReferenceRun reference;
  double spacing = 0;             ///< of the instants that are compared [s]
  bool energy_by_instant = true;  ///< energy errors are relative to |E| at each instant; else to the largest
  double largest_energy = not_known;
  double largest_displacement = 0;  ///< [m]
  double smallest_energy_error = not_known, smallest_position_error = not_known;
  std::vector<MeasuredRun> rows;
  std::string explanation;  ///< what is wrong with the reference; empty: nothing
};

// Parts of compare.json that scan.json has as well. The readers throw nlohmann's exceptions where a document is none.
nlohmann::ordered_json to_json(const MeasuredRun& measured);
nlohmann::ordered_json to_json(const ReferenceRun& reference);
MeasuredRun read_measured_run(const nlohmann::ordered_json& json);
ReferenceRun read_reference_run(const nlohmann::ordered_json& json);

nlohmann::ordered_json to_json(const CompareRecord& record);
/// The inverse; throws likewise.
CompareRecord read_compare_record(const nlohmann::ordered_json& json);

}  // namespace pithball::app
