// How often a fit makes what it needs: counted where the program does it, on the demo.
#include "app/experiment/experiment_file.hpp"
#include "app/run/fit_run.hpp"
#include "optim/parameter/parameter_map.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::app;

TEST_CASE("fit: the demo resolves its parameters once, at half the step as well", "[app][fit]") {
  const test::Workplace place;
  for (const bool halve_step : {false, true}) {
    INFO("halve step " << halve_step);
    const long before = optim::ParameterMap::resolutions();
    const ExperimentDocument document = load_document(test::demo_experiment);
    const FitSpec spec = read_fit(document);
    CHECK(optim::ParameterMap::resolutions() - before == 1);
    const std::string folder = halve_step ? "halved" : "plain";
    const RunOrder order{place / folder, {"fit", test::demo_experiment, {}, 1}};
    const FitResult result = run_fit(spec, {order, halve_step});
    CHECK(result.ok);
    constexpr long of_candidates = 4;  // wider models, as read and in the fit's place; values of the body; starts
    CHECK(optim::ParameterMap::resolutions() - before == 1 + of_candidates);
  }
}
