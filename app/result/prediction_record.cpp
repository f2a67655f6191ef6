#include "app/result/prediction_record.hpp"

namespace pithball::app {
namespace {

constexpr optim::Determination determinations[] = {optim::Determination::Determined, optim::Determination::Poor,
                                                   optim::Determination::None};

/// So many of the weakest directions are kept whole.
constexpr std::size_t most_vectors = 12;

/// What identify.json and each alternative of plan.json have.
void prediction_fields(FieldVisitor& v, PredictionRecord& record) {
  v.computed(
      "status", [&] { return std::string(record.ok() ? "ok" : "failed"); },
      "\"ok\", or \"failed\": the model could not be simulated");
  v("failure", or_null(record.failure), "why the model could not be simulated; null: it could");
  v("confidence", known(record.confidence), "level of the predicted intervals");
  v("residuals", record.residuals, "number of recorded coordinates");
  v("sigma", record.sigmas, "assumed noise, by recording");
  v("priors", record.priors, "whether the prediction includes priors or an earlier fit");
  v("parameters", record.parameters, "one for each value");
  v("singular_values", record.directions, "singular values of the scaled Jacobian, largest first");
  v("condition", record.condition, "largest / smallest singular value; null: ∞, or not computed");
  v("weak_directions", record.weak_directions, "directions without any effect");
  v("scale_symmetry", record.scale_symmetry, "members of the scale symmetry; empty: there is none", older);
  v("correlation", record.correlation, "a row and a column for each parameter; null: unknown");
  v("growth", record.growth, "growth of the sensitivity, by recording");
  v("notes", record.notes, "what else to know, one sentence each", older);
}

}  // namespace

PredictionRecord prediction_record(const optim::IdentifyReport& report) {
  PredictionRecord record;
  record.failure = report.failure;
  record.confidence = report.confidence;
  record.residuals = report.rows;
  for (const optim::SupposedSigma& one : report.sigmas)
    record.sigmas.push_back({one.recording, one.least, one.most, one.sentence()});
  record.priors = report.has_priors;
  record.parameters = report.parameters;
  for (std::size_t k = 0; k < report.directions.size(); ++k) {
    SingularDirection& direction = record.directions.emplace_back();
    direction.value = report.singular_values[k];
    direction.name = report.directions[k];
    if (k + most_vectors < report.directions.size()) continue;
    const auto vector = report.vectors.col(k);
    direction.vector.assign(vector.begin(), vector.end());
  }
  record.condition = report.condition;
  record.weak_directions = report.weak_directions;
  record.scale_symmetry = report.scale_symmetry;
  for (const auto& row : report.correlation.rowwise()) record.correlation.emplace_back(row.begin(), row.end());
  record.growth = report.growth;
  record.notes = report.notes;
  return record;
}

void fields(FieldVisitor& v, optim::PredictedParameter& p) {
  v.is("PredictedParameter", "what recordings would determine of a parameter");
  v("name", ValueName{p.name}, "name of the parameter");
  v("value", ValueName{p.value}, "the value that it belongs to");
  v("unit", p.unit, "unit of its numbers, in base units of SI; empty: pure numbers");
  v("at", p.at, of_parameter, "the physical value for which the prediction is made");
  v("standard_error", p.standard_error, of_parameter, "predicted standard error; null: not identifiable");
  v("interval", Ends{p.interval_lower, p.interval_upper}, of_parameter, "ends of the predicted interval; null: open");
  v("determination", as_word(p.determination, determinations), "how well the recordings determine it");
  v("weak_direction", or_null(p.weak_direction), "the direction that contributes most to its error; null: none");
}

void fields(FieldVisitor& v, optim::SensitivityGrowth& growth) {
  v.is("SensitivityGrowth", "growth of the sensitivity of a recording's markers to the parameters");
  v("recording", growth.recording, "as in the experiment file");
  v("times", growth.times, in("s"), "simulated times of the fitted frames");
  v("shift", growth.shift, of_kind,
    "RMS shift of a marker when every parameter changes by 1 in units of its "
    "scale");
  v("extent", growth.extent, of_kind, "RMS distance of the recorded markers from their mean positions");
  v("doublings_per_second", growth.doublings_per_second, in("1/s"),
    "doublings of the shift per time in the second half; null: too few frames");
  v("late_doublings", growth.late_doublings, "number of doublings in the second half; null: too few frames");
  v.computed(
      "exponential", [&] { return growth.exponential(); }, "whether it grows like that of a chaotic motion");
  v("useless_from", value_if(growth.useless_from < std::numeric_limits<double>::infinity(), growth.useless_from),
    in("s"),
    "time from which a small change of the parameters moves the markers by "
    "more than the extent; null: never");
}

void fields(FieldVisitor& v, SupposedSigmaRecord& sigma) {
  v.is("SupposedSigma", "the noise of one recording that a prediction assumes");
  v("recording", sigma.recording, "as in the experiment file");
  v("least", sigma.least, of_kind, "minimum over its markers and components");
  v("most", sigma.most, of_kind, "maximum");
  v("said", sigma.said, "as a text, with its origin");
}

void fields(FieldVisitor& v, SingularDirection& direction) {
  v.is("SingularDirection", "a singular value of the scaled Jacobian and its direction");
  v("value", direction.value, "the singular value; null: the model could not be simulated");
  v("direction", direction.name, "the largest components of its direction");
  v("vector", direction.vector, "all components", only(!direction.vector.empty(), "of the weakest directions"));
}

void fields(FieldVisitor& v, PlannedAlternative& alternative) {
  v.is("PlannedAlternative", "an experiment design and its prediction");
  v("name", alternative.name, "as in the experiment file, or \"as written\", \"optimized\"");
  v("set", by_name(alternative.set), "changed keys and their values");
  prediction_fields(v, alternative.prediction);
}

void fields(FieldVisitor& v, IdentifyRecord& record) {
  v.is("IdentifyResult", "what the recordings of a fit would determine");
  v("name", record.name, "of the experiment");
  v("at", record.at, "the point of the prediction: \"start\", or the run folder of a fit");
  prediction_fields(v, record.prediction);
}

void fields(FieldVisitor& v, PlanRecord& record) {
  v.is("PlanResult", "what several designs of the recordings would determine");
  v("name", record.name, "of the experiment");
  v("alternatives", record.alternatives, "the design as written first, the optimized one last");
  v.if_any("optimized", record.optimized, "the optimized design", "with `--optimize`");
}

}  // namespace pithball::app
