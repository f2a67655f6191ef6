#include "app/result/summary.hpp"

namespace pithball::app {
namespace {

void summary_head(FieldVisitor& v, Summary& summary) {
  v("program", summary.program, "name and version");
  v("command", summary.command, "the command");
  v("name", summary.name, "of the experiment");
  v("status", summary.status, "how it ended, in one word");
  v("complete", summary.complete, "false: in progress, interrupted or killed");
}

void computing_time(FieldVisitor& v, Summary& summary) { v("seconds", summary.seconds, in("s"), "computing time"); }

void summary_tail(FieldVisitor& v, Summary& summary) {
  v("threads", summary.threads, "number of threads");
  v("folder", summary.folder, "path of the run folder");
}

/// Visits the fields about the methods of a comparison.
template <class Outcome>
void compared_methods(FieldVisitor& v, Outcome& outcome) {
  v("methods", outcome.methods, "number of methods, the reference not counted");
  v("time_steps", outcome.time_steps, in("s"), "their time steps");
  v("reference", outcome.reference, "integrator of the reference");
  v("reference_step", known(outcome.reference_step), in("s"), "its time step");
}

/// Visits the fields about the size of a model.
template <class Model>
void model_size(FieldVisitor& v, Model& model) {
  v("particles", model.particles, "number of particles in the initial state");
  v("springs", model.springs, "number of springs");
}

}  // namespace

void fields(FieldVisitor& v, Summary& summary) {
  v.is("Summary", "how a run ended");
  summary_head(v, summary);
  computing_time(v, summary);
  summary_tail(v, summary);
}

void fields(FieldVisitor& v, StepsBy& by) {
  v.is("StepsBy", "the program that made the steps of a simulation");
  v("name", by.name, "\"pithball\", or that of a backend");
  v("version", by.version, "as the program reports it");
  v("seconds", by.seconds, in("s"), "time of the steps alone; null: not a backend");
  v("compile_seconds", by.compile_seconds, in("s"), "time of compiling them; null: not compiled");
}

void fields(FieldVisitor& v, StepCost& cost) {
  v.is("StepCost", "cost of the steps since the last resumption");
  v("force_evaluations", cost.force_evaluations, "number of evaluations of all explicit forces");
  v("linear_solves", cost.linear_solves, "number of solves with stage Hessians");
  v("cg_iterations", cost.cg_iterations, "number of iterations within them");
  v("capped_substeps", cost.capped_substeps, "number of substeps that an adaptive integrator would have made smaller");
}

void fields(FieldVisitor& v, EnergyError& error) {
  v.is("EnergyError", "error in the energy balance of a simulation");
  v("mean", error.mean, "mean over the snapshots, relative to the scale; null: unknown");
  v("max", error.max, "the largest, likewise");
  v("scale", error.scale, in("J"), "the exchanged energy");
}

void fields(FieldVisitor& v, Contacts& contacts) {
  v.is("Contacts", "contacts of particles with obstacles and one another");
  v("most", contacts.most, "largest number of contacts in a step");
  v("deepest", contacts.deepest, in("m"), "of the deepest");
}

void fields(FieldVisitor& v, PassingParticles& population) {
  v.is("PassingParticles", "emitted and removed particles");
  v("emitted", population.emitted, "number of those from emitters");
  v("taken", population.taken, "number of those taken by sinks or at the end of their lifetime");
  v("left", population.left, "number at the end");
}

void fields(FieldVisitor& v, BrokenInStep& broken) {
  auto& [step, link] = broken;
  v.is("BrokenLink", "a broken link");
  v("step", step, "the step in which it broke, counted from 1");
  v("time", link.t, in("s"), "when it broke");
  v("constraint", link.constraint, "number of its constraint");
  v("link", link.row.item, "its number in the constraint");
  auto& particles = link.row.particles;
  v("particles", std::pair<decltype(particles[0]), decltype(particles[1])>{particles[0], particles[1]},
    "its particles");
  v("tension", link.tension, in("N"), "its tension then");
  v.after_reading([&] { link.row.count = 2; });
}

void fields(FieldVisitor& v, Summary& summary, SimulationOutcome& outcome) {
  v.is("SimulationSummary", "how a simulation ended");
  summary_head(v, summary);
  v("completed_steps", outcome.steps.completed, "number of steps taken, with those before a resumption");
  v("requested_steps", outcome.steps.requested, "as the experiment asks for");
  v("failed_step", outcome.steps.failed, "the step in which it failed; null: it did not");
  v("why", or_null(outcome.why), "why the status is not a good one; null: it is");
  v("remedy", or_null(outcome.remedy), "what to change; null: nothing");
  v("notes", outcome.notes, "what else to know, one sentence each");
  v("changing_values", outcome.model.changing_values, "values with key frames");
  v("energy_error", outcome.energy_error, "integration error in the energy");
  computing_time(v, summary);
  v("backend", outcome.steps_by, "the program that made the steps");
  v("cost", outcome.cost, "of the steps since the last resumption");
  v("contacts", outcome.contacts, "contacts of particles with obstacles and one another");
  v("broken_links", outcome.broken, "in the order of time");
  v("population", outcome.population, "null: the number of particles does not change");
  v("resumed_from_step", outcome.steps.resumed_from, "last stored step before a resumption; null: not resumed");
  model_size(v, outcome.model);
  v("integrator", outcome.method.integrator, "as in the experiment file");
  v("time_step", known(outcome.method.time_step), in("s"), "its time step");
  v("linear_solver", outcome.method.linear_solver, "of implicit steps; empty: nothing was solved");
  summary_tail(v, summary);
}

void fields(FieldVisitor& v, Summary& summary, FitOutcome& outcome) {
  v.is("FitSummary", "how a fit ended");
  summary_head(v, summary);
  v("why", or_null(outcome.why), "why the status is not a good one; null: it is");
  v("remedy", or_null(outcome.remedy), "what to change; null: nothing");
  v("parameters", outcome.parameters, "number of fitted values");
  v("recordings", outcome.recordings, "number of recordings");
  v("trajectories", outcome.trajectories, "files of fitted motions in the run folder");
  computing_time(v, summary);
  summary_tail(v, summary);
}

void fields(FieldVisitor& v, Summary& summary, ComparisonOutcome& outcome) {
  v.is("ComparisonSummary", "how a comparison ended");
  summary_head(v, summary);
  v("explanation", outcome.explanation, "what is wrong with the reference; empty: nothing");
  computing_time(v, summary);
  model_size(v, outcome);
  v("duration", known(outcome.duration), in("s"), "simulated time");
  compared_methods(v, outcome);
  summary_tail(v, summary);
}

void fields(FieldVisitor& v, Summary& summary, ScanOutcome& outcome) {
  v.is("ScanSummary", "how a scan ended");
  summary_head(v, summary);
  v("explanation", outcome.explanation, "which references are wrong and why; empty: none");
  computing_time(v, summary);
  v("over", outcome.over, "keys of the axes");
  v("points", outcome.points, "number of points of the grid");
  compared_methods(v, outcome);
  summary_tail(v, summary);
}

void fields(FieldVisitor& v, Summary& summary, GradientOutcome& outcome) {
  v.is("GradientSummary", "how a gradient check ended");
  summary_head(v, summary);
  v("steps", outcome.steps, "number of steps of the run");
  v("explanation", outcome.explanation, "why it did not pass; empty: it passed");
  computing_time(v, summary);
  model_size(v, outcome);
  v("integrator", outcome.integrator, "as in the experiment file");
  v("time_step", known(outcome.time_step), in("s"), "its time step");
  summary_tail(v, summary);
}

void fields(FieldVisitor& v, Summary& summary, PredictionOutcome& outcome) {
  v.is("PredictionSummary", "how a prediction ended");
  summary_head(v, summary);
  v("explanation", outcome.explanation, "what cannot be simulated, or used as it stands, and why; empty: nothing");
  computing_time(v, summary);
  v("recordings", outcome.recordings, "number of recordings");
  v("parameters", outcome.parameters, "number of parameters");
  summary_tail(v, summary);
}

}  // namespace pithball::app
