#include "app/run/identify_run.hpp"

#include <algorithm>

#include "app/result/fit_record.hpp"
#include "app/result/json_fields.hpp"
#include "app/run/fit_screening.hpp"
#include "app/run_folder/json_reading.hpp"
#include "optim/observation/marker_tracks.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

optim::Vector prediction_point(const optim::ParameterMap& map, const std::filesystem::path& run) {
  optim::Vector theta = map.initial();
  if (run.empty()) return theta;
  const std::filesystem::path file = run / "fit.json";
  const FitRecord fit = read_json_file(file, read_result<FitRecord>);
  for (Index k = 0; k < map.size(); ++k) {
    const optim::ParameterInfo& info = map.info()[k];
    const auto found = std::ranges::find(fit.estimates.parameters, info.name, &optim::FittedParameter::name);
    if (found == fit.estimates.parameters.end())
      throw InvalidArgument({file.string(), "parameters", "must contain every parameter of the experiment",
                             "none named '" + info.name + "'", "name the run of this experiment's fit"});
    theta[k] = info.transform.theta(found->estimate);
  }
  if (!theta.allFinite())
    throw InvalidArgument({file.string(), "parameters", "must contain estimates that the experiment allows", "",
                           "check the transforms and the estimates of the fit"});
  return theta;
}

namespace {

/// Readings that could be made; the prediction will say why others could not.
Points known(const Points& readings) {
  return readings.unaryExpr([](double x) { return std::isnan(x) ? 0 : x; });
}

}  // namespace

optim::FitProblem with_simulated_positions(const FitSpec& spec, const optim::Vector& theta) {
  optim::FitProblem problem = spec.problem();
  const optim::ParameterMap& map = spec.fit->map();
  for (std::size_t s = 0; s < spec.recordings.size(); ++s) {
    if (!spec.recordings[s].planned) continue;
    optim::Observation& recorded = problem.observations[s];
    optim::Observation seen = recorded;
    seen.recording_frame = map.recording_frame(theta, static_cast<Index>(s));
    const optim::MarkerTracks tracks = optim::compute_tracks(map.scatter(theta, static_cast<Index>(s)), seen);
    if (!tracks.failure.empty()) continue;  // the prediction will say why not
    for (std::size_t f = 0; f < recorded.positions.size(); ++f)
      recorded.positions[f] =
          recorded.instrument ? known(tracks.model[f]) : seen.recording_frame.to_recorded(tracks.model[f]);
  }
  return problem;
}

optim::IdentifyReport identify_recordings(const FitSpec& spec, const optim::Vector& theta,
                                          const optim::EarlierEstimates& earlier) {
  const bool any_planned = std::ranges::any_of(spec.recordings, &Recording::planned);
  optim::IdentifyReport report =
      any_planned ? optim::identify(optim::ResolvedFit(with_simulated_positions(spec, theta)), theta, earlier)
                  : optim::identify(*spec.fit, theta, earlier);
  for (const auto* said : {&spec.notes, &spec.doubts})
    report.notes.insert(report.notes.begin(), said->begin(), said->end());
  for (const RecordingFinding& fault : open_faults(screen_samples(spec))) report.notes.push_back(fault.note());
  return report;
}

PlanRecord predict_plan(const PlanSpec& plan, const optim::EarlierEstimates& earlier) {
  PlanRecord record{plan.name, {}, {}};
  for (const PlanAlternative& alternative : plan.alternatives) {
    const optim::Vector theta = optim::start_at(alternative.spec.fit->map(), earlier);
    record.alternatives.push_back(
        {alternative.name, alternative.changes, identify_recordings(alternative.spec, theta, earlier)});
  }
  return record;
}

}  // namespace pithball::app
