#include "experiments/captured/tshirt_obj_sequence/study.hpp"

#include <nlohmann/json.hpp>

#include "app/spec/fit_spec.hpp"
#include "experiments/shipped/shipped_experiment.hpp"
#include "optim/fit/fit.hpp"

namespace pithball::experiments::tshirt_obj_sequence {

using namespace app;

namespace {

using nlohmann::json;

/// The same experiment with other settings, as `--set` writes them.
struct ShirtRun {
  const char* title;
  std::vector<const char*> settings;
};

const ShirtRun as_written{"as written", {}};
const ShirtRun variations[] = {
    {"edges of 0.6", {"system.mesh.remesh.edge_length=0.6", "system.groups.left_clip.sphere.radius=0.26"}},
    {"edges of 0.35", {"system.mesh.remesh.edge_length=0.35"}},
    {"frames before 0.5 s only", {"fit.recordings.0.validation_from=0.5"}},
    {"half the step", {"simulation.time_step=0.0055555555555555558 s"}},
};
const ShirtRun quick_run{
    "edges of 0.6, frames before 0.5 s",
    {"system.mesh.remesh.edge_length=0.6", "system.groups.left_clip.sphere.radius=0.26",
     "fit.recordings.0.validation_from=0.5", "fit.recordings.0.frames.to=1", "fit.recordings.0.markers.limit=0.3"}};

json fit_run(const ShirtRun& run) {
  std::vector<Override> overrides;
  for (const char* setting : run.settings) overrides.push_back(parse_override(setting));
  const FitSpec spec =
      read_fit(load_document(shipped_experiment("captured/tshirt_obj_sequence/tshirt_obj_sequence.yaml"), overrides));
  const optim::FitReport report = optim::fit(*spec.fit);
  json j{{"title", run.title},
         {"status", optim::to_string(report.status)},
         {"particles", spec.problem().scenarios.front().model.particles()},
         {"rms_mm", 1e3 * report.fit.model},
         {"forecast_mm", 1e3 * report.validation_frames.model},
         {"forecast_static_mm", 1e3 * report.validation_frames.static_baseline},
         {"forecast_constant_velocity_mm", 1e3 * report.validation_frames.constant_velocity}};
  for (const optim::FittedParameter& p : report.parameters)
    j[p.name] = {{"estimate", p.estimate}, {"standard_error", p.standard_error}};
  return j;
}

}  // namespace

json run_study(const std::string&, bool quick, void (*progress)(const std::string&)) {
  // From info.txt and param.txt of the set; the stiffness is that of even springs with the program's modulus of 556.
  json study{{"put_in", {{"wind_x", -0.021123}, {"wind_y", 0.056620}, {"wind_z", 0.059688}, {"stiffness", 481}}}};
  const auto add = [&](const ShirtRun& run) {
    progress(std::string("fitting: ") + run.title);
    study["runs"].push_back(fit_run(run));
  };
  add(quick ? quick_run : as_written);
  if (quick) return study;
  for (const ShirtRun& run : variations) add(run);
  return study;
}

}  // namespace pithball::experiments::tshirt_obj_sequence
