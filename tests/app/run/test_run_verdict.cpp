#include "optim/verdict/run_verdict.hpp"

#include <fmt/format.h>

#include <cmath>

#include "app/run/run_judge.hpp"
#include "app/run/step_remedy.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::app;

TEST_CASE("run verdict: doubts add up, and a failure outweighs them", "[app][verdict]") {
  optim::RunVerdict verdict;
  CHECK(verdict.grade() == optim::Grade::Good);
  CHECK(verdict.explanation().empty());
  verdict.doubt("its energy grows", "shorten the step");
  CHECK(verdict.status == optim::RunStatus::Doubtful);
  CHECK(verdict.grade() == optim::Grade::Doubtful);
  CHECK(verdict.explanation() == "its energy grows; shorten the step");
  verdict.doubt("its charge is not determined", "shorten the step");
  CHECK(verdict.why == "its energy grows; its charge is not determined");
  CHECK(verdict.remedy == "shorten the step");

  optim::RunVerdict failed{optim::RunStatus::Diverged, "it flew away", "use another integrator"};
  failed.doubt("its energy grows", "shorten the step");
  CHECK(failed.status == optim::RunStatus::Diverged);
  CHECK(failed.grade() == optim::Grade::Bad);
  CHECK(failed.explanation() == "it flew away; use another integrator");
}

TEST_CASE("run verdict: an open answer is more than a doubt and less than a failure", "[app][verdict]") {
  optim::RunVerdict verdict{optim::RunStatus::Converged, "", ""};
  verdict.doubt("its charge is not determined", "film it");
  verdict.leave_open("two fit", "film the other side");
  CHECK(verdict.status == optim::RunStatus::NotUnique);
  CHECK(verdict.grade() == optim::Grade::Doubtful);
  CHECK(verdict.why == "two fit; its charge is not determined");
  CHECK(verdict.remedy == "film the other side; film it");
  verdict.doubt("its energy grows", "shorten the step");
  CHECK(verdict.status == optim::RunStatus::NotUnique);
  CHECK(verdict.why == "two fit; its charge is not determined; its energy grows");
  verdict.fail(optim::RunStatus::DoesNotFit, "it is far away", "look elsewhere");
  CHECK(verdict.status == optim::RunStatus::DoesNotFit);
  verdict.leave_open("two fit", "film the other side");
  CHECK(verdict.status == optim::RunStatus::DoesNotFit);
}

TEST_CASE("run verdict: statuses of all commands have a grade", "[app][verdict]") {
  for (const char* good : {"ok", "converged", "passed", "complete"}) CHECK(optim::grade_of(good) == optim::Grade::Good);
  for (const char* bad : {"diverged", "not_converged", "interrupted", "failed", "reference too coarse", ""})
    CHECK(optim::grade_of(bad) == optim::Grade::Bad);
  CHECK(to_string(optim::grade_of("doubtful")) == "doubtful");
  for (std::size_t k = 0; k < optim::run_statuses().size(); ++k) {
    const optim::RunStatusInfo& one = optim::run_statuses()[k];
    CHECK(static_cast<std::size_t>(one.status) == k);
    CHECK(optim::find_run_status(one.word) == one.status);
    CHECK(one.exit_status <= (one.grade == optim::Grade::Bad ? 1 : 0));
  }
  CHECK(optim::find_run_status("of another version") == optim::RunStatus::Unknown);
}

TEST_CASE("step remedy: names what may help, and never the integrator that failed", "[app][verdict]") {
  diff::Scenario spring{
      .name = "", .model = tests::oscillator(0).model, .initial = {}, .time_step = 0.125, .stage = {}};
  const auto has = [](const std::string& text, const char* what) { return text.find(what) != std::string::npos; };
  for (const StepTrouble trouble :
       {StepTrouble::Diverged, StepTrouble::NotConverged, StepTrouble::GainedEnergy, StepTrouble::LostEnergy})
    for (const sim::IntegratorInfo& info : sim::integrators()) {
      spring.integrator = info.name;
      const std::string remedy = step_remedy(trouble, spring);
      INFO(info.name << ": " << remedy);
      CHECK(has(remedy, "simulation.time_step (now 0.125 s)"));
      CHECK_FALSE(has(remedy, ("`integrator: " + info.name + "`").c_str()));
    }
  spring.integrator = sim::default_integrator;
  CHECK(has(step_remedy(StepTrouble::GainedEnergy, spring), "imex_euler"));
  CHECK_FALSE(has(step_remedy(StepTrouble::GainedEnergy, spring), "imex_adaptive"));  // there is no approach to divide
  CHECK_FALSE(has(step_remedy(StepTrouble::LostEnergy, spring), "imex_euler"));       // which damps even more
  diff::Scenario orbit = spring;
  orbit.model = sim::elliptic_orbit().model;
  CHECK(has(step_remedy(StepTrouble::Diverged, orbit), "imex_adaptive"));
}

TEST_CASE("step remedy: implicit steps are spoken of where there are some", "[app][verdict]") {
  diff::Scenario spring{
      .name = "", .model = tests::oscillator(0).model, .initial = {}, .time_step = 0.125, .stage = {}};
  int implicit = 0, others = 0;
  for (const sim::IntegratorInfo& info : sim::integrators()) {
    spring.integrator = info.name;
    for (const sim::StepStatus status : {sim::StepStatus::NotConverged, sim::StepStatus::Diverged}) {
      const std::string text = verdict_on_end(status, 3, 0.375, spring).explanation();
      INFO(info.name << ": " << text);
      const bool speaks =
          text.find("implicit") != std::string::npos || text.find("max_iterations") != std::string::npos;
      CHECK(speaks == (info.implicit && status == sim::StepStatus::NotConverged));
      ++(info.implicit ? implicit : others);
    }
  }
  CHECK(implicit > 4);
  CHECK(others > 4);
}

TEST_CASE("step remedy: after a close approach a softening, of those forces that have one", "[app][verdict]") {
  const sim::KnownMotion orbit = sim::elliptic_orbit();
  diff::Scenario pair{.name = "", .model = orbit.model, .initial = {}, .time_step = 0.125, .stage = {}};
  sim::CloseApproach near{.force = "coulomb", .particle = 1, .other = 0, .step = 7, .t = 0.875, .distance = 1e-3};
  const auto remedy = [&] { return step_remedy(StepTrouble::GainedEnergy, pair, near); };
  const auto mass = pair.model.mass();
  const double kappa =
      sim::coulomb_constant * std::abs(pair.model.charge()[0] * pair.model.charge()[1]) * (1 / mass[0] + 1 / mass[1]);
  CHECK(remedy().find(fmt::format("`softening: {:.2g} m` in forces.coulomb", std::cbrt(200 * kappa * 0.125 * 0.125))) !=
        std::string::npos);
  CHECK(remedy().find("`integrator: imex_adaptive`") != std::string::npos);
  CHECK(remedy().find("imex_euler") == std::string::npos);
  for (const char* other : {"lennard_jones", "screened_coulomb"}) {
    near.force = other;
    CHECK(remedy().find("softening") == std::string::npos);
  }
  near.force = "coulomb";
  near.other = -1;
  CHECK(remedy().find("softening") == std::string::npos);
}
