#include "experiments/bench/recovery_claims.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pithball::experiments {

std::vector<Claim> recovery_claims(const RecoveryCase& spoilt, const RecoveryFigures& figures) {
  constexpr int fewest_films = 10;          // with fewer, nearly any share is within its scatter
  constexpr double well_determined = 0.95;  // share of the parameters from which on the linearised problem is good
  constexpr double explained = 0.8;         // coverage down to which that explains it: docs/identify.md has 0.86
  const std::string name = fmt::format("noise {:.3g} %, missing {:.3g} %: ", 100 * spoilt.noise, 100 * spoilt.missing);
  Claim converged =
      claim_at_least(name + "fits that converged", figures.converged, figures.repetitions, "", "all of them");
  if (spoilt.noise == 0) return {converged};  // no noise says how large an error may be

  // Intervals of one fit may all err together; films are independent.
  const double scatter = std::sqrt(0.95 * 0.05 / figures.repetitions);
  Claim coverage = claim_within(name + "intervals (95 %) that hold the truth", figures.coverage, 0.95, 2 * scatter, "",
                                fmt::format("two standard errors of a share of {} films", figures.repetitions));
  if (figures.repetitions < fewest_films)
    coverage.skipped = fmt::format("{} films are too few to tell", figures.repetitions);
  else if (figures.determined_share == 0)
    coverage.skipped = "no parameter is determined";
  else if (figures.determined_share < well_determined && figures.coverage > explained)
    coverage.differs = fmt::format(
        "only {:.0f} % of the parameters are determined: where errors come near 30 % of a value the linearised problem "
        "is no longer good enough (docs/identify.md)",
        100 * figures.determined_share);
  return {converged, coverage};
}

}  // namespace pithball::experiments
