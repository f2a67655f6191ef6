#pragma once
// A ball that swings along its spring at 3 Hz, and recordings of the truth for fits to be held against.

#include <string>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

namespace pithball::test {

/// For 4 s, by an integrator whose step is small beside the period.
inline const std::string swinging_ball = R"(name: ball
system:
  vertices: [[0, 0, 0], [0.2, 0, 0]]
  mass: 0.1
  pinned: [0]
  springs: {edges: [[0, 1]], stiffness: 35.53, rest_length: 0.15}
forces: [drag: {linear: 0.01}]
simulation: {integrator: velocity_verlet, time_step: 0.5 ms, duration: 4 s}
)";

/// Leaves one marker of this experiment's motion in f.csv; `how`: options of `record`, the noise and the rate at least.
inline void record_one(const Workplace& place, const std::string& truth, const std::string& how) {
  place.write("truth.yaml", truth);
  const Outcome filmed = place.run("record truth.yaml --markers 1 --out f.csv " + how);
  INFO(filmed.err);
  REQUIRE(filmed.status == 0);
}

}  // namespace pithball::test
