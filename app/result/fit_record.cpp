#include "app/result/fit_record.hpp"

#include <algorithm>

#include "optim/measurement/measurement_kinds.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

/// Errors of the model of one part of all recordings.
void baseline_fields(FieldVisitor& v, const char* part, optim::PositionErrors& e) {
  v.block(part, "Baselines", "errors of the baselines", [&] {
    v("static", e.static_baseline, of_kind, "of markers that stay where they were last fitted");
    v("constant_velocity", e.constant_velocity, of_kind, "of markers that keep their last velocity");
  });
}

/// Throws unless each of these rows has a number for each parameter.
void require_whole(const std::vector<std::vector<double>>& rows, std::size_t parameters, const char* key,
                   const char* requirement) {
  const auto is_whole = [&](const std::vector<double>& row) { return row.size() == parameters; };
  if (!std::ranges::all_of(rows, is_whole))
    throw InvalidArgument({"fit.json", key, requirement, "others", "repeat the fit"});
}

void require_square(const std::vector<std::vector<double>>& correlation, std::size_t parameters) {
  constexpr const char* requirement = "must have a row and a column for each parameter";
  if (!correlation.empty() && correlation.size() != parameters)
    throw InvalidArgument({"fit.json", "correlation", requirement, "others", "repeat the fit"});
  require_whole(correlation, parameters, "correlation", requirement);
}

}  // namespace

void fields(FieldVisitor& v, optim::PositionErrors& e) {
  v.is("PositionErrors", "RMS distances between predicted and recorded markers");
  v("samples", e.samples, "number of markers and frames with a recorded component");
  v("rms", e.model, of_kind, "of the simulation; null: no samples");
  v("static", e.static_baseline, of_kind, "of markers that stay where they were last fitted; null: no baseline");
  v("constant_velocity", e.constant_velocity, of_kind, "of markers that keep their last velocity; null: no baseline");
}

void fields(FieldVisitor& v, optim::RecordingErrors& e) {
  v.is("RecordingErrors", "errors of one part of one recording");
  std::string measurement = e.all.kind->name;
  v("recording", e.recording, "as in the experiment file");
  v("measurement", measurement, "its measurement kind", older);
  v("part", as_word(e.part, optim::all_parts), "whose samples are counted");
  v("all", e.all, "over all markers");
  v("markers", e.markers, "by marker");
  v.after_reading([&] {
    e.all.kind = optim::find_measurement_kind(measurement);
    for (optim::PositionErrors& marker : e.markers) marker.kind = e.all.kind;
  });
  v("failure", or_null(e.failure), "why the model could not be simulated to its end; null: it could");
}

void fields(FieldVisitor& v, FitErrors& errors) {
  v.is("FitErrors", "RMS errors of the fit and of its baselines");
  v("fit", errors.fit.model, of_kind, "of all fitted samples");
  v("validation_frames", errors.validation_frames.model, of_kind, "of all predicted frames; null: none");
  v("validation_markers", errors.validation_markers.model, of_kind, "of all predicted markers; null: none");
  v.block("baselines", "AllBaselines", "errors of the baselines of the same samples", [&] {
    baseline_fields(v, "fit", errors.fit);
    baseline_fields(v, "validation_frames", errors.validation_frames);
    baseline_fields(v, "validation_markers", errors.validation_markers);
  });
  v("recordings", errors.recordings, "by recording and part");
  v.after_reading([&] {
    for (optim::PositionErrors* pooled : {&errors.fit, &errors.validation_frames, &errors.validation_markers})
      pooled->kind = optim::common_kind(errors.recordings);
  });
}

void fields(FieldVisitor& v, FitMinimum& minimum) {
  v.is("Minimum", "end of the search from one start in one stage");
  v("start", minimum.start, "number of the start; 0: the given one");
  v("status", minimum.status, "how the search ended");
  v("cost", minimum.cost, "cost at its end");
  v("iterations", minimum.iterations, "number of iterations");
  v("place", value_if(minimum.place >= 0, minimum.place),
    "0: at the estimates; k: at their k-th alternative; null: elsewhere, or not examined", older);
  v("parameters", by_name(minimum.parameters), of_parameter, "physical values at its end, by parameter",
    only(!minimum.parameters.empty(), "with several starts"));
}

void fields(FieldVisitor& v, FitStage& stage) {
  v.is("Stage", "a stage of the search");
  v("horizon", stage.horizon, in("s"), "recorded time up to which frames count; null: all");
  v("integrator", or_null(stage.integrator), "its integrator; null: that of the experiment");
  v("time_step", stage.time_step, in("s"), "its time step; null: that of the experiment");
  v("segments", stage.segments, "number of segments; more than 1: multiple shooting");
  v("minima", stage.minima, "one for each start, lowest cost first");
}

void fields(FieldVisitor& v, HalvedStep::Change& change) {
  v.is("HalvedStepChange", "a parameter at half the time step");
  v("name", change.name, "of the parameter");
  v("estimate", change.estimate, of_parameter, "physical value at half the step");
  v("change_in_standard_errors", change.in_standard_errors, "its change / standard error; null: unknown");
}

void fields(FieldVisitor& v, HalvedStep& halved) {
  v.is("HalvedStep", "the same fit at half the time step");
  v("status", halved.status, "how its search ended");
  v("another_minimum", halved.another_minimum,
    "whether it ended in another minimum, so that the comparison says nothing of the step", older);
  v("parameters", halved.parameters, "in the order of the fit's own");
}

void fields(FieldVisitor& v, JudgedRecording& judged) {
  v.is("JudgedRecording", "errors of a recording predicted by a fit to the others");
  fields(v, judged.errors);
  v("status", judged.status, "how that fit ended");
}

void fields(FieldVisitor& v, FoundAttachment& found) {
  v.is("Attachment", "the attachment of a marker that found its own place");
  v("marker", found.marker, "as in the experiment file");
  v("vertices", found.vertices, "particles that it follows");
  v("weights", found.weights, "of each of them, with sum 1");
  v("distance", found.distance, in("m"), "distance of the marker from the body");
}

void fields(FieldVisitor& v, FittedRecording& recording) {
  v.is("FittedRecording", "results for one recording, and the names of its files");
  v("name", recording.name, "as in the experiment file");
  v("trajectory", recording.trajectory, "file of its fitted motion in the run folder");
  v("attachments", recording.attachments, "of the markers that found their own place", older);
  v("markers", or_null(recording.markers), "file of its markers in the run folder; null: none was recorded");
  v("fitted_values", recording.fitted_values, "by block of the model's values");
  v("sigma", recording.sigma, in("m"), "standard deviation of each component in the model's frame, by marker", older);
}

namespace {

/// What the search found, before the errors of the fit.
void estimate_fields(FieldVisitor& v, FitRecord& record) {
  v("status", record.status, "how the search ended, or why its result is doubtful");
  v("message", record.message, "why it ended, in a sentence");
  v("confidence", known(record.confidence), "level of the intervals");
  v("parameters", record.parameters, "one for each fitted value");
  v("correlation", record.correlation, "a row and a column for each parameter; empty: not computed");
  v.after_reading([&] { require_square(record.correlation, record.parameters.size()); });
  v("weak_directions", record.weak_directions, "directions that the recordings do not determine");
  v("condition", record.condition,
    "largest / smallest singular value of the scaled Jacobian; null: ∞, or not computed");
  v("residual_scale", record.residual_scale,
    "scale of the residuals in units of sigma: 1 if sigma and model are right");
  v("degrees_of_freedom", record.degrees_of_freedom, "number of residuals − number of values that they determine");
  v("uncertainty", record.uncertainty, "how the standard errors were computed; null: they were not", older);
  v("cost_history", record.cost_history, "cost after each iteration of the last stage, from its start on");
  v("path", record.path, of_parameter, "the parameters after each iteration; empty: too many", older);
  v.after_reading(
      [&] { require_whole(record.path, record.parameters.size(), "path", "must have a number for each parameter"); });
}

}  // namespace

void fields(FieldVisitor& v, FitRecord& record) {
  v.is("FitResult", "the result of a fit");
  estimate_fields(v, record);
  v("errors", record.errors, "RMS errors of the fit and of its baselines");
  v("quality", record.quality, "misfit of the recordings compared with their noise", older);
  v("whiteness", record.whiteness, "whether the fitted residuals are independent, by recording", older);
  v.after_reading([&] { optim::share_alarm(record.whiteness); });
  v("profile", record.profiles, "requested profiles, and those of values that are not linear enough", older);
  v.block("evaluations", "Evaluations", "number of evaluations of the model and its derivatives", [&] {
    optim::EvaluationCounts& counts = record.evaluations.counts;
    v("forward", counts.forward, "runs without derivatives");
    v.computed(
        "gradient", [&] { return counts.tangent + counts.adjoint; }, "tangents and adjoints");
    v("tangent", counts.tangent, "directions or runs with tangents");
    v("adjoint", counts.adjoint, "adjoints of recorded runs");
    v("failed", record.evaluations.failed, "points at which a simulation failed");
  });
  v("findings", record.findings, "what screening found in the recordings before the search", older);
  v("notes", record.notes, "what else to know, one sentence each", older);
  v("seconds", record.seconds, in("s"), "duration of the fit");
  v("search", record.search, "every minimum found, by stage", older);
  v("search_summary", record.search_summary, "how the search went and what it found, one sentence each", older);
  v("alternatives", record.alternatives, "other estimates that fit as well, best first", older);
  v.if_any("halved_step", record.halved_step, "the same fit at half the time step", "with `--halve-step`");
  v("cross_validation", record.cross_validation, "errors of each recording predicted by a fit to the others",
    only(!record.cross_validation.empty(), "with `fit.cross_validate: recordings`"));
  v("why", or_null(record.why), "why the status is not a good one; null: it is", older);
  v("remedy", or_null(record.remedy), "what to change; null: nothing", older);
  v("recordings", record.recordings, "in the order of the experiment file");
}

}  // namespace pithball::app
