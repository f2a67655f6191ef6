#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "optim/fit/fit.hpp"

namespace pithball::optim {

/// How far apart two θ are to the recordings, in the metric of the posterior curvature at one of them.
class MinimumMetric {
 public:
  /// `rows`: derivatives of all residuals by θ (R×P), of priors too, in units in which ½|r|² is minus the logarithm of
  /// the posterior density. `asked`: P; the others are nuisance, which follows as is best.
  MinimumMetric(const Eigen::MatrixXd& rows, const std::vector<bool>& asked);
  /// d² = min over changes δ of the nuisance of |rows (Δθ + δ)|², Δθ over P. This is Δθ_aᵀ C_aa⁻¹ Δθ_a with the block
  /// of the covariance C = (rowsᵀ rows)⁻¹ that belongs to the values asked for; a direction that is not identifiable
  /// counts nothing.
  double squared_distance(const Vector& difference) const;

 private:
  std::vector<Index> asked_;
  Eigen::MatrixXd root_;  ///< d² = |root Δθ_a|²
};

/// Which minima of a stage are one, and which are as good as the best.
struct MinimumPlaces {
  std::vector<Index> place;  ///< as `FoundMinimum::place`, by minimum
  struct Place {
    std::size_t minimum = 0;  ///< the best there
    double delta_chi_square = 0;
    Index searches = 0;
  };
  std::vector<Place> places;  ///< the first is that of the estimates, then the alternatives, the best first
  std::optional<Place> next;  ///< the best of the others that are minima and told apart
  Index lost = 0;             ///< searches that ended at no minimum
};

/// What tells minima apart.
struct MinimumRules {
  Vector best;                   ///< θ of the estimates
  double best_cost = 0;          ///< L there
  double chi_square_unit = 2;    ///< Δχ² = this times ΔL
  double indistinguishable = 4;  ///< Δχ² below which recordings cannot tell two apart: t²
};

/// The metric at a minimum, by its number in the list; none: it is not known. Asked once for each place.
using MetricAt = std::function<std::optional<MinimumMetric>(std::size_t minimum)>;

/// Two minima are different where d² > 9 in the metric of the better one, three standard errors apart. Another is an
/// alternative where Δχ² < t². What did not converge is no minimum. `metric`: at `rules.best`.
MinimumPlaces find_places(const std::vector<FoundMinimum>& minima, const MinimumRules& rules,
                          const MinimumMetric& metric, const MetricAt& metric_at);

/// After a search from several starts: marks where each ended, adds the alternatives with errors of their own, from one
/// tangent run each, and says in a sentence how many searches ended at which place. With τ the scale of the data
/// (`Posterior::data_scale`)
///    Δχ² = 2 ΔL/τ² / max(1, q²),
/// q the mean ratio of robust to formal errors (`RobustErrors::mean_ratio`): residuals that go along with one another
/// tell so much less. Where priors or a loss have scales of their own, the search goes on at these from each place that
/// may be one first. `run`: r and J at `report.theta`.
void compare_minima(const ResolvedFit& fit, const WholeRun& run, const AllErrors& errors, FitReport& report);

/// How many alternatives a sentence lists.
inline constexpr std::size_t listed_alternatives = 3;

/// "Δχ² = 2.3", or "Δχ² < 0.01": smaller differences say nothing.
std::string say_delta(double delta);

/// The sentence where no errors are known: which searches ended at the best cost.
void compare_costs(FitReport& report);

}  // namespace pithball::optim
