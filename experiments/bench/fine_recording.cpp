#include "experiments/bench/fine_recording.hpp"

#include "sim/core/error.hpp"

namespace pithball::experiments {

using namespace app;

optim::Observation record_finely(Experiment experiment, Index finer, RecordingSettings settings, double sigma,
                                 const std::string& bench) {
  diff::Scenario& scenario = experiment.scenario;
  scenario.integrator = "velocity_verlet";
  scenario.time_step /= finer;
  scenario.steps *= finer;
  settings.particles.clear();
  for (Index i = 0; i < scenario.model.particles(); ++i) settings.particles.push_back(i);
  const MadeRecording made = record_motion(experiment, settings, bench);
  if (!made.explanation.empty())
    throw InvalidArgument(
        {bench, "the recording", "must be a run that ends", made.explanation, "choose a smaller simulation.time_step"});
  optim::Observation seen;
  for (std::size_t i = 0; i < made.capture.markers.size(); ++i)
    seen.markers.push_back({made.capture.markers[i], {{static_cast<Index>(i), 1.0}}});
  seen.times.assign(made.capture.time.begin(), made.capture.time.end());
  seen.positions = made.capture.positions;
  seen.noise.sigma = Vector::Constant(scenario.model.particles(), sigma);
  return seen;
}

}  // namespace pithball::experiments
