#pragma once
#include <nlohmann/json_fwd.hpp>

#include "experiments/bench/coulomb_bench.hpp"

namespace pithball::experiments {

/// What the rows of one method at one tolerance and distribution say together.
struct CoulombTrend {
  std::string method, distribution;
  double tolerance = CoulombRow::unknown;
  /// n from which on the method is faster than `direct`, interpolated between measured n on logarithmic scales;
  /// unknown if it was never slower, or never faster.
  double crossover = CoulombRow::unknown;
  bool always_faster = false;  ///< at all measured n
  /// p of seconds ∝ nᵖ, least squares of the logarithms over 4.5e4 ≤ n ≤ 1.1e6; unknown with fewer than two such n.
  double growth = CoulombRow::unknown;
};

/// Trends of approximate methods measured at two n or more.
std::vector<CoulombTrend> find_trends(const std::vector<CoulombRow>& rows);

/// {"rows": […], "trends": […]}; `kinds` names the entries of each row's errors.
nlohmann::ordered_json to_json(const std::vector<CoulombRow>& rows, const std::vector<std::string>& kinds);

/// The table for people: one block for each set of points.
std::string to_text(const std::vector<CoulombRow>& rows, const std::vector<std::string>& kinds);

}  // namespace pithball::experiments
