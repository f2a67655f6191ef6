#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/experiment/compare_spec.hpp"
#include "app/result/not_known.hpp"
#include "optim/verdict/run_verdict.hpp"
#include "sim/core/field_list.hpp"
#include "sim/core/types.hpp"

namespace pithball::app {

using sim::Index;

/// One run of a comparison: its settings, how it ended and its cost.
struct RunFigures {
  std::string method;                  ///< Method::label
  double time_step = 0;                ///< [s]
  std::string status;                  ///< "ok", "diverged" or "not_converged"
  Index steps = 0;                     ///< completed steps, including a failed one
  double seconds = 0;                  ///< of the steps alone
  double compile_seconds = not_known;  ///< of a backend that compiles [s]
  long force_evaluations = 0;          ///< of the steps, as in StepRecord
  long coulomb_evaluations = 0,        ///< of those, of Coulomb forces
      linear_solves = 0,               ///< solves with stage Hessians
      cg_iterations = 0,               ///< iterations within them
      capped_substeps = 0;             ///< substeps that an adaptive integrator would have made smaller

  /// Whether it reached the end.
  bool ok() const { return optim::find_run_status(status) == optim::RunStatus::Ok; }
};

/// Errors at each instant that a run reached.
struct ErrorsOverTime {
  std::vector<double> time;            ///< [s]
  std::vector<double> energy_error;    ///< relative
  std::vector<double> position_error;  ///< root mean square over particles [m]
};

/// A run with its errors against the reference; unknown errors are `not_known`.
struct MeasuredRun {
  RunFigures run;                             ///< settings, end and cost
  double energy_mean = not_known,             ///< of the relative errors over the instants
      energy_standard_deviation = not_known,  ///< of the relative errors
      energy_max = not_known;                 ///< of the relative errors
  double position = not_known;                ///< root mean square over particles and instants [m]
  double position_relative = not_known;       ///< over the reference's largest displacement
  std::optional<ErrorsOverTime> over_time;    ///< none in a scan
};

/// The reference of a comparison.
struct ReferenceRun {
  RunFigures run;                    ///< settings, end and cost
  std::optional<MeasuredRun> check;  ///< the same at half the step; none if the reference failed
  std::optional<bool> fine_enough;   ///< none if it or its check failed
};

/// compare.json.
struct CompareRecord {
  std::map<std::string, std::string> backends;  ///< versions of other programs, by their names
  ReferenceRun reference;                       ///< with its check
  double spacing = 0;                           ///< interval between the compared instants [s]
  std::string energy_scale;                     ///< by what energy errors are divided: "exchanged", "total"
  double scale_energy = not_known;              ///< that energy [J]; not known if zero up to rounding
  double largest_displacement = 0;              ///< [m]
  double smallest_energy_error = not_known,     ///< smallest `energy_mean` of the rows
      smallest_position_error = not_known;      ///< smallest `position` [m]
  std::vector<MeasuredRun> rows;                ///< method by method; empty if the reference failed
  std::string explanation;                      ///< what is wrong with the reference; empty if nothing
};

/// Settings, end and cost, as parts of a row or a reference.
void fields(FieldVisitor& v, RunFigures& run);
/// `over_time` of a row in compare.json.
void fields(FieldVisitor& v, ErrorsOverTime& errors);
/// A row of compare.json or scan.json.
void fields(FieldVisitor& v, MeasuredRun& measured);
/// `reference` of either.
void fields(FieldVisitor& v, ReferenceRun& reference);
/// The whole of compare.json.
void fields(FieldVisitor& v, CompareRecord& record);

/// A run at one point of a scan's grid.
struct ScanRow {
  std::vector<std::string> values;  ///< one for each axis
  MeasuredRun run;                  ///< without errors over time
};

/// The reference at one point.
struct ScanReference {
  std::vector<std::string> values;  ///< one for each axis
  ReferenceRun reference;           ///< likewise
};

/// scan.json.
struct ScanRecord {
  std::vector<ScanAxis> over;             ///< keys and their values
  std::vector<ScanRow> rows;              ///< point by point, the last axis fastest
  std::vector<ScanReference> references;  ///< one for each point, in the order of the rows
  std::string explanation;                ///< which references are wrong and why; empty: none
};

/// An entry of `over` in scan.json.
void fields(FieldVisitor& v, ScanAxis& axis);
/// The whole of scan.json.
void fields(FieldVisitor& v, ScanRecord& record);

}  // namespace pithball::app
