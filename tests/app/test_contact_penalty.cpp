#include <set>
#include <string>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;

TEST_CASE("contact_penalty: gradients of colliding spheres pass their check, by kicks and by exact flows",
          "[app][gradient]") {
  const Workplace place;
  // Four overlapping spheres: all pairs are in contact throughout, since a gradient across a first touch is one-sided.
  place.write("spheres.yaml", R"(name: spheres
system:
  vertices: [[0, 0, 0], [1, 0.1, 0], [0.5, 0.8, 0.1], [0.4, 0.4, 0.75]]
  mass: [1, 0.7, 1.3, 0.9]
  velocities: [[0.5, 0, 0], [-1, 0, 0.2], [0, -0.9, 0], [0.1, 0, -1]]
forces:
  - contact_penalty: {radius: [0.6, 0.55, 0.65, 0.6], stiffness: 60, damping: 0.8}
simulation: {integrator: velocity_verlet, time_step: 0.005, duration: 0.2}
)");
  for (const std::string integrator : {"velocity_verlet", "imex_midpoint"}) {
    const Outcome outcome =
        place.run("check-gradient spheres.yaml --steps 20 --json --set simulation.integrator=" + integrator);
    CAPTURE(integrator, outcome.out, outcome.err);
    REQUIRE(outcome.status == 0);
    const auto result = outcome.json();
    std::set<std::string> seen;
    for (const auto& block : result["blocks"])
      if (block["largest"].get<double>() > 0) seen.insert(block["name"].get<std::string>());
    CHECK(seen == std::set<std::string>{"mass", "contact_radius", "contact_stiffness", "contact_damping", "position",
                                        "velocity"});
  }
}

TEST_CASE("contact_penalty: mistakes are reported with their place, and nothing is written", "[app][error]") {
  const Workplace place;
  place.write("spheres.yaml", R"(name: spheres
system: {vertices: [[0, 0, 0], [1, 0, 0]], mass: 1}
forces:
  - contact_penalty: {radius: 0.6, stiffness: 60}
simulation: {integrator: velocity_verlet, time_step: 0.005, duration: 0.2}
)");
  REQUIRE(place.run("simulate spheres.yaml --out fine").status == 0);
  for (const std::string wrong :
       {"radius=0", "radius=-1", "stiffness=-1", "damping=-2", "neighbors=magic", "skin=-1"}) {
    CAPTURE(wrong);
    const Outcome outcome = place.run("simulate spheres.yaml --out wrong --set forces.contact_penalty." + wrong);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(wrong.substr(0, wrong.find('='))) != std::string::npos);
  }
  CHECK(place.listing() == "fine spheres.yaml ");
}
