// The experiment file of the hanging trunk against the study in C++, which finds everything by itself.

#include "app/experiment/experiment_file.hpp"
#include "app/experiment/fit_spec.hpp"
#include "experiments/captured/trunk_decay/truss_fit.hpp"
#include "experiments/shipped/shipped_experiment.hpp"
#include "optim/fit.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/recordings.hpp"

using namespace pithball;
using namespace pithball::experiments::trunk_decay;

namespace {

struct Trunk {
  app::FitSpec spec =
      app::read_fit(app::load_document(experiments::shipped_experiment("captured/trunk_decay/trunk_decay.yaml")));
  std::vector<Release> releases;  ///< as the study uses them
  Trunk() {
    for (const Index load : {200, 400})
      for (Release& r : read_releases(tests::recordings("trunk_decay"), load))
        if (r.left_out.empty()) releases.push_back(std::move(r));
  }
};

}  // namespace

TEST_CASE("trunk_decay: the experiment file finds the releases and frames of the study", "[experiments][data]") {
  const Trunk trunk;
  REQUIRE(trunk.spec.recordings.size() == trunk.releases.size());
  REQUIRE(trunk.releases.size() == 30);
  const Truss truss;
  std::array<Index, 2> fitted{};
  for (std::size_t k = 0; k < trunk.releases.size(); ++k) {
    const Release& release = trunk.releases[k];
    const app::Recording& recording = trunk.spec.recordings[k];
    const optim::Observation& seen = recording.observation;
    INFO(release.label());
    CHECK(recording.name == release.label());
    REQUIRE(seen.times.size() == window_frames);
    CHECK(std::lround(seen.times.front() * frame_rate) == release.start);
    CHECK(seen.simulated_time(0) == Approx(0).margin(1e-12));
    const optim::Observation expected =
        truss.observation(release, release.start, window_frames,
                          truss.scenario(release, release.start, window_frames, coarse_step), small_swing_growth);
    for (std::size_t f = 0; f < seen.times.size(); ++f) {
      CHECK((seen.positions[f] - recording.motion.rest - expected.positions[f]).norm() < 1e-12);
      CHECK(seen.frame_weight[f] == Approx(expected.frame_weight[f]).epsilon(1e-12));
    }
    // The study takes a parabola through seven frames, the file a cubic: they differ by its bias, and by noise.
    const StartState start = start_state(release, release.start);
    for (Index m = 0; m < 3; ++m) {
      sim::Vec3 x = sim::Vec3::Zero(), v = sim::Vec3::Zero();
      for (const auto& [vertex, weight] : seen.markers[m].vertices) {
        x += weight * recording.own.scenario.initial.x.col(vertex);
        v += weight * recording.own.scenario.initial.v.col(vertex);
      }
      CHECK((x - start.displacement.col(m)).norm() < 0.2e-3);
      CHECK((v - start.velocity.col(m)).norm() < 10e-3);
    }
    if (!seen.is_validation(0)) ++fitted[release.load == 200 ? 0 : 1];
  }
  CHECK(fitted == std::array<Index, 2>{5, 10});
  CHECK(trunk.spec.recordings.front().own.scenario.model.mass().tail(3).sum() ==
        Approx(0.2 + 0.08315217).epsilon(1e-6));
}

TEST_CASE("trunk_decay: from the study's starts the experiment file finds the study's values",
          "[experiments][data][slow]") {
  const Trunk trunk;
  const Truss truss;
  Releases fitted;
  optim::FitProblem problem = trunk.spec.problem();
  for (std::size_t k = problem.observations.size(); k-- > 0;) {
    const Release& r = trunk.releases[k];
    if (problem.observations[k].is_validation(0)) continue;
    fitted.insert(fitted.begin(), &r);
    const diff::Scenario like = truss.scenario(r, r.start, window_frames, coarse_step);
    problem.scenarios[k].initial = like.initial;
    const optim::Observation seen = truss.observation(r, r.start, window_frames, like, small_swing_growth);
    problem.observations[k].reference.observed =
        trunk.spec.recordings[k].motion.rest +
        seen.reference.observed;  // the study's positions are displacements already
  }
  const optim::FitReport own =
      optim::fit(make_problem(truss, fitted, small_swing_start, coarse_step, small_swing_growth));
  const optim::FitReport file = optim::fit(problem);
  REQUIRE(file.search.status == optim::MinimizerStatus::Converged);
  REQUIRE(file.estimates.parameters.size() == 3);
  for (std::size_t p = 0; p < 3; ++p) {
    INFO(own.estimates.parameters[p].name << " " << own.estimates.parameters[p].estimate);
    CHECK(std::abs(file.estimates.parameters[p].estimate - own.estimates.parameters[p].estimate) <
          1e-3 * own.estimates.parameters[p].standard_error);
  }
  // The file's own starts: from a cubic on both sides, and in the shape of least energy.
  const optim::FitReport whole = optim::fit(*trunk.spec.fit);
  for (std::size_t p = 0; p < 3; ++p)
    CHECK(std::abs(whole.estimates.parameters[p].estimate - own.estimates.parameters[p].estimate) <
          0.1 * own.estimates.parameters[p].standard_error);
}
