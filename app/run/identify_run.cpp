#include "app/run/identify_run.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/base/json_text.hpp"
#include "app/run_folder/fit_record.hpp"
#include "app/run_folder/json_reading.hpp"
#include "optim/observation/marker_tracks.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

ordered_json predicted_json(const optim::PredictedParameter& p) {
  return {{"name", p.name},
          {"value", p.value},
          {"unit", p.unit},
          {"at", number_or_null(p.at)},
          {"standard_error", number_or_null(p.standard_error)},
          {"interval", {number_or_null(p.interval_lower), number_or_null(p.interval_upper)}},
          {"determination", optim::to_string(p.determination)},
          {"weak_direction", text_or_null(p.weak_direction)}};
}

ordered_json sigmas_json(const optim::IdentifyReport& report) {
  ordered_json list = ordered_json::array();
  for (const optim::SupposedSigma& one : report.sigmas)
    list.push_back({{"recording", one.recording}, {"least", one.least}, {"most", one.most}, {"said", one.sentence()}});
  return list;
}

ordered_json growth_json(const optim::SensitivityGrowth& growth) {
  return {{"recording", growth.recording},
          {"times", growth.times},
          {"shift", growth.shift},
          {"extent", growth.extent},
          {"doublings_per_second", number_or_null(growth.doublings_per_second)},
          {"late_doublings", number_or_null(growth.late_doublings)},
          {"exponential", growth.exponential()},
          {"useless_from", number_or_null(growth.useless_from)}};
}

}  // namespace

optim::Vector prediction_point(const optim::ParameterMap& map, const std::filesystem::path& run) {
  optim::Vector theta = map.initial();
  if (run.empty()) return theta;
  const std::filesystem::path file = run / "fit.json";
  const FitRecord fit = read_json_file(file, read_fit_record);
  for (Index k = 0; k < map.size(); ++k) {
    const optim::ParameterInfo& info = map.info()[k];
    const auto found = std::ranges::find(fit.parameters, info.name, &optim::FittedParameter::name);
    if (found == fit.parameters.end())
      throw InvalidArgument({file.string(), "parameters", "must hold each parameter of the experiment",
                             "none named '" + info.name + "'", "name the run of this experiment's fit"});
    theta[k] = info.transform.theta(found->estimate);
  }
  if (!theta.allFinite())
    throw InvalidArgument({file.string(), "parameters", "must hold estimates that the experiment allows", "",
                           "look at transforms and at what the fit found"});
  return theta;
}

optim::IdentifyReport identify_recordings(const FitSpec& spec, const optim::Vector& theta) {
  optim::FitProblem problem = spec.problem();
  const optim::ParameterMap& map = spec.fit->map();
  bool any_planned = false;
  for (std::size_t s = 0; s < spec.recordings.size(); ++s) {
    if (!spec.recordings[s].planned) continue;
    any_planned = true;
    optim::Observation& film = problem.observations[s];
    optim::Observation seen = film;
    seen.viewpoint = map.viewpoint(theta, s);
    const optim::MarkerTracks tracks = optim::compute_tracks(map.scatter(theta, s), seen);
    if (!tracks.failure.empty()) continue;  // the prediction will say why not
    for (std::size_t f = 0; f < film.positions.size(); ++f)
      film.positions[f] = seen.viewpoint.to_recorded(tracks.model[f]);
  }
  return any_planned ? optim::identify(problem, theta) : optim::identify(*spec.fit, theta);
}

ordered_json identify_json(const optim::IdentifyReport& report) {
  ordered_json parameters = ordered_json::array(), singular = parameters, correlation = parameters, weak = parameters,
               growth = parameters;
  for (const optim::PredictedParameter& p : report.parameters) parameters.push_back(predicted_json(p));
  for (std::size_t k = 0; k < report.directions.size(); ++k)
    singular.push_back({{"value", report.singular_values[k]}, {"direction", report.directions[k]}});
  for (const auto& row : report.correlation.rowwise()) {
    correlation.push_back(ordered_json::array());
    for (const double entry : row) correlation.back().push_back(number_or_null(entry));
  }
  for (const optim::WeakDirection& direction : report.weak_directions)
    weak.push_back(
        {{"name", direction.name}, {"relative_singular_value", number_or_null(direction.relative_singular_value)}});
  for (const optim::SensitivityGrowth& g : report.growth) growth.push_back(growth_json(g));
  return {{"status", report.ok() ? "ok" : "failed"},
          {"failure", text_or_null(report.failure)},
          {"confidence", report.confidence},
          {"residuals", report.rows},
          {"sigma", sigmas_json(report)},
          {"priors", report.has_priors},
          {"parameters", parameters},
          {"singular_values", singular},
          {"condition", number_or_null(report.condition)},
          {"weak_directions", weak},
          {"scale_symmetry", report.scale_symmetry},
          {"correlation", correlation},
          {"growth", growth},
          {"notes", report.notes}};
}

}  // namespace pithball::app
