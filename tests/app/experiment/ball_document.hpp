#pragma once
// A ball on a spring and a document whose recordings a test writes.

#include <cmath>
#include <string>

#include "app/experiment/experiment_file.hpp"
#include "app/experiment/fit_spec.hpp"
#include "sim/core/error.hpp"
#include "tests/app/program.hpp"

namespace pithball::test {

/// The section `fit:` is `fit` as it is, indented by its writer.
inline std::string ball_with(const std::string& fit, const std::string& system = "mass: 0.1") {
  return "name: ball\nsystem:\n  vertices: [[0, 0, 0], [0.1, 0, 0]]\n  pinned: [0]\n"
         "  springs: {edges: [[0, 1]], stiffness: 4, damping: 0.1}\n  " +
         system +
         "\nforces: [gravity: [0, 0, -9.81]]\n"
         "simulation: {integrator: imex_midpoint, time_step: 10 ms}\n" +
         fit;
}

inline app::FitSpec read_ball(const Workplace& place, const std::string& fit, const std::string& system = "mass: 0.1") {
  place.write("ball.yaml", ball_with(fit, system));
  return app::read_fit(app::load_document((place / "ball.yaml").string()));
}

/// What reading complains about; empty: nothing.
inline std::string ball_complaint(const Workplace& place, const std::string& fit) {
  try {
    read_ball(place, fit);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

/// A table of three runs, "a", "b" and "7", of 40 frames each, 100 a second: the ball hangs at rest in the last ten,
/// and swings with 20 mm e^{−6 t} before.
inline void write_three_runs(const Workplace& place) {
  std::string table = "run,x,y,z\n";
  for (int run = 0; run < 3; ++run)
    for (int f = 0; f < 40; ++f) {
      const double t = f / 100.0, swing = f < 30 ? 0.02 * std::exp(-6 * t) * std::cos(40 * t) : 0;
      table += std::string(run == 0   ? "a"
                           : run == 1 ? "b"
                                      : "7") +
               "," + std::to_string(0.3 + swing) + "," + std::to_string(1.0 * run) + "," + std::to_string(-0.2) + "\n";
    }
  place.write("runs.csv", table);
}

}  // namespace pithball::test
