#include "app/result/compare_record.hpp"

namespace pithball::app {

void fields(FieldVisitor& v, RunFigures& run) {
  v.is("RunFigures", "settings, end and cost of a run");
  v("method", run.method, "integrator and its settings");
  v("time_step", known(run.time_step), in("s"), "its time step");
  v("status", run.status, "\"ok\", \"diverged\" or \"not_converged\"");
  v("steps", run.steps, "number of completed steps, including a failed one");
  v.computed(
      "failed_step", [&] { return run.ok() ? std::optional<Index>() : run.steps; },
      "the step in which it failed; null: it did not");
  v("seconds", run.seconds, in("s"), "time of the steps alone");
  v("compile_seconds", run.compile_seconds, in("s"), "time of a backend that compiles; null: another");
  v("force_evaluations", run.force_evaluations, "number of evaluations of all explicit forces");
  v("coulomb_evaluations", run.coulomb_evaluations, "number of those of Coulomb forces");
  v("linear_solves", run.linear_solves, "number of solves with stage Hessians");
  v("cg_iterations", run.cg_iterations, "number of iterations within them");
  v("capped_substeps", run.capped_substeps, "number of substeps that an adaptive integrator would have made smaller");
}

void fields(FieldVisitor& v, ErrorsOverTime& errors) {
  v.is("ErrorsOverTime", "errors at each instant that a run reached");
  v("time", errors.time, in("s"), "the instants");
  v("energy_error", errors.energy_error, "relative errors of the energy");
  v("position_error", errors.position_error, in("m"), "root mean squares over particles");
}

void fields(FieldVisitor& v, MeasuredRun& measured) {
  v.is("MeasuredRun", "a run with its errors against the reference");
  fields(v, measured.run);
  v.block("energy_error", "MeasuredEnergyError", "relative errors of the energy over the instants; null: unknown", [&] {
    v("mean", measured.energy_mean, "their mean");
    v("standard_deviation", measured.energy_standard_deviation, "their standard deviation");
    v("max", measured.energy_max, "the largest");
  });
  v.block("position_error", "MeasuredPositionError", "errors of the positions; null: unknown", [&] {
    v("rms", measured.position, in("m"), "root mean square over particles and instants");
    v("relative", measured.position_relative, "relative to the reference's largest displacement");
  });
  v.if_any("over_time", measured.over_time, "errors at each instant", "in a comparison");
}

void fields(FieldVisitor& v, ReferenceRun& reference) {
  v.is("ReferenceRun", "the reference of a comparison");
  fields(v, reference.run);
  v("check", reference.check, "the same at half the step; null: the reference failed");
  v("fine_enough", reference.fine_enough, "whether the reference is fine enough; null: it or its check failed");
}

void fields(FieldVisitor& v, CompareRecord& record) {
  v.is("ComparisonResult", "runs by several methods against a reference");
  v("backends", record.backends, "versions of other programs, by their names");
  v("reference", record.reference, "the reference, with its check");
  v.block("instants", "Instants", "the compared instants",
          [&] { v("spacing", known(record.spacing), in("s"), "interval between them"); });
  v.block("energy_scale", "EnergyScale", "what errors of the energy are relative to", [&] {
    v("by", record.energy_scale, "`compare.energy_scale`: exchanged or total");
    v("energy", record.scale_energy, in("J"), "that energy of the reference; null: zero up to rounding");
  });
  v("largest_displacement", record.largest_displacement, in("m"), "of a particle in the reference");
  v.block("smallest_error", "SmallestError", "smallest errors of the rows; null: unknown", [&] {
    v("energy", record.smallest_energy_error, "smallest mean error of the energy");
    v("position", record.smallest_position_error, in("m"), "smallest RMS error of the positions");
  });
  v("rows", record.rows, "method by method; empty: the reference failed");
  v("explanation", record.explanation, "what is wrong with the reference; empty: nothing");
}

void fields(FieldVisitor& v, ScanAxis& axis) {
  v.is("ScanAxis", "an axis of the grid");
  v("key", axis.key, "key of the experiment");
  v("values", axis.values, "its values");
}

void fields(FieldVisitor& v, ScanRecord& record) {
  v.is("ScanResult", "comparisons at the points of a grid");
  v("over", record.over, "axes of the grid");
  std::vector<std::string> keys;
  for (const ScanAxis& axis : record.over) keys.push_back(axis.key);
  v("rows",
    list_of(record.rows,
            [&](ScanRow& row) {
              v.is("ScanRow", "a run at a point of the grid, with its values by key");
              v.further_texts(keys, row.values);
              fields(v, row.run);
            }),
    "point by point, the last axis fastest");
  v("references",
    list_of(record.references,
            [&](ScanReference& reference) {
              v.is("ScanReference", "the reference at a point of the grid, with its values by key");
              v.further_texts(keys, reference.values);
              fields(v, reference.reference);
            }),
    "one for each point, in the order of the rows");
  v("explanation", record.explanation, "which references are wrong and why; empty: none");
}

}  // namespace pithball::app
