#include "experiments/bench/recovery_claims.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pithball::experiments {

std::vector<Claim> recovery_claims(const RecoveryCase& spoilt, const RecoveryFigures& figures) {
  constexpr int fewest_recordings = 10;  // with fewer, nearly any share is within its scatter
  const std::string name = fmt::format("noise {:.3g} %, missing {:.3g} %: ", 100 * spoilt.noise, 100 * spoilt.missing);
  Claim converged =
      claim_at_least(name + "fits that converged", figures.converged, figures.repetitions, "", "all of them");
  if (spoilt.noise == 0) return {converged};  // no noise says how large an error may be

  // Intervals of one fit may all err together; recordings are independent.
  const double scatter = std::sqrt(0.95 * 0.05 / figures.repetitions);
  Claim coverage =
      claim_within(name + "intervals (95 %) that hold the truth", figures.coverage, 0.95, 2 * scatter, "",
                   fmt::format("two standard errors of a fraction of {} simulated recordings", figures.repetitions));
  if (figures.repetitions < fewest_recordings)
    coverage.skipped = fmt::format("{} simulated recordings are too few to decide", figures.repetitions);
  else if (figures.identifiable_share == 0)
    coverage.skipped = "no parameter is identifiable";
  return {converged, coverage};
}

}  // namespace pithball::experiments
