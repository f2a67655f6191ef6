#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "experiments/bench/coulomb_bench.hpp"
#include "experiments/claim/claim.hpp"

namespace pithball::experiments {

/// What the rows of one method at one tolerance and distribution show together.
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

/// That the errors of all rows keep to what each method promises: `fmm` and `auto` their tolerance, sums over all pairs
/// the rounding of n terms. A claim for each method and tolerance, on the worst of its rows; none for methods that
/// promise nothing, and for rows without a yardstick.
std::vector<Claim> coulomb_claims(const std::vector<CoulombRow>& rows);

}  // namespace pithball::experiments
