#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "optim/fit/problem.hpp"

namespace pithball::experiments {

/// Which nets are fitted, and how.
struct NetBenchOptions {
  int nets = 50;           ///< number of nets
  std::uint64_t seed = 1;  ///< of true values and noise
  std::string solver = "auto";
  double noise = 1e-3;  ///< standard deviation of each coordinate [m]
};

/// Result of the fit of one net.
struct NetFigures {
  sim::Index springs = 0;  ///< all of them free
  std::string status;      ///< of the search, as in fit.json
  bool fits = false;       ///< whether the fit was accepted: it converged and its verdict raises no doubt
  double chi_square = 0;   ///< |r|² at its end, over that at the true values
  double runs = 0;         ///< of the search, in processor time of forward runs
  int iterations = 0;      ///< of the last search
  int determined = 0;      ///< values whose interval (95 %) counts: those that such a recording determines at the truth
  int held = 0;            ///< of these, intervals that hold the true value
  double seconds = 0;      ///< of the whole fit
};

/// Fits the single stiffnesses of all springs of one net. Hanging nets of 50 to 200 springs with both diagonals in each
/// cell, 72 g and 0.5 m wide, true stiffnesses 10 N/m · e^{0.3 n} with n normal, all points seen at 51 frames in 1 s,
/// recorded by velocity Verlet at a tenth of the fit's step of 2 ms; the search starts from 15 N/m for all. Net
/// `number` depends on the seed alone.
NetFigures measure_net(int number, const NetBenchOptions& options);

}  // namespace pithball::experiments
