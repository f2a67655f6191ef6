#include "optim/uncertainty/whiteness.hpp"

#include <cmath>

#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using test::make_body;

namespace {

const RobustLoss loss("huber", 2);

/// Four markers of a body, each coordinate 1 sigma off; every `stride`-th sample 100 sigma.
KeptSamples keep(Index stride, const RobustLoss& by) {
  const std::vector<diff::Scenario> scenarios{make_body("a")};
  const std::vector<Observation> seen{test::record(scenarios[0], 1, 1e-3, 1)};
  const auto samples = static_cast<Index>(seen[0].times.size()) * 4;
  Vector r = Vector::Ones(3 * samples);
  for (Index j = 0; j < samples; j += stride) r.segment(3 * j, 3).setConstant(100);
  return keep_samples(scenarios, seen, r, by);
}

Index missing(const Observation& o) {
  Index count = 0;
  for (const sim::Points& x : o.positions) count += x.array().isNaN().count();
  return count / 3;
}

}  // namespace

TEST_CASE("kept samples: those that a loss counts less than half are left out, with their rows", "[optim][robust]") {
  const KeptSamples kept = keep(6, loss);
  const auto samples = static_cast<Index>(kept.observations[0].times.size()) * 4;
  const Index outliers = (samples + 5) / 6;
  CHECK(missing(kept.observations[0]) == outliers);
  CHECK(kept.r.size() == 3 * (samples - outliers));
  CHECK((kept.r.array() == 1).all());
}

TEST_CASE("kept samples: without a loss, or where half of a recording is far off, all are kept", "[optim][robust]") {
  for (const KeptSamples& all : {keep(6, RobustLoss{}), keep(2, loss)}) {
    CHECK(missing(all.observations[0]) == 0);
    CHECK(all.r.size() == 12 * static_cast<Index>(all.observations[0].times.size()));
    CHECK(all.r.maxCoeff() == 100);
  }
}
