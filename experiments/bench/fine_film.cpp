#include "experiments/bench/fine_film.hpp"

#include "sim/core/error.hpp"

namespace pithball::experiments {

using namespace app;

optim::Observation film_finely(Experiment experiment, Index finer, Filming filming, double sigma,
                               const std::string& bench) {
  diff::Scenario& scenario = experiment.scenario;
  scenario.integrator = "velocity_verlet";
  scenario.time_step /= finer;
  scenario.steps *= finer;
  filming.particles.clear();
  for (Index i = 0; i < scenario.model.particles(); ++i) filming.particles.push_back(i);
  const Film made = film(experiment, filming, bench);
  if (!made.explanation.empty())
    throw InvalidArgument(
        {bench, "the recording", "must be a run that ends", made.explanation, "choose a smaller simulation.time_step"});
  optim::Observation seen;
  for (std::size_t i = 0; i < made.capture.markers.size(); ++i)
    seen.markers.push_back({made.capture.markers[i], {{static_cast<Index>(i), 1.0}}});
  seen.times.assign(made.capture.time.begin(), made.capture.time.end());
  seen.positions = made.capture.positions;
  seen.sigma = Vector::Constant(scenario.model.particles(), sigma);
  return seen;
}

}  // namespace pithball::experiments
