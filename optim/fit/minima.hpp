#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "optim/fit/search.hpp"
#include "optim/residual/whole_run.hpp"
#include "optim/uncertainty/parameter_errors.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Distance between two θ in the metric of the posterior curvature at one of them.
class MinimumMetric {
 public:
  /// `rows`: derivatives of all residuals with respect to θ (R×P), including priors, in units in which ½|r|² is minus
  /// the log posterior density. `asked`: P; the others are nuisance parameters, which are optimized.
  MinimumMetric(const Eigen::MatrixXd& rows, const std::vector<bool>& asked);
  /// d² = min over changes δ of the nuisance parameters of |rows (Δθ + δ)|², Δθ over P. This is Δθ_aᵀ C_aa⁻¹ Δθ_a with
  /// the block of the covariance C = (rowsᵀ rows)⁻¹ for the requested values; directions that are not identifiable do
  /// not contribute.
  double squared_distance(const Vector& difference) const;

 private:
  std::vector<Index> asked_;
  Eigen::MatrixXd root_;  ///< d² = |root Δθ_a|²
};

/// Groups the minima of a stage: which coincide, and which are as good as the best.
struct MinimumPlaces {
  std::vector<Index> place;  ///< as `FitMinimum::place`, by minimum
  /// Minima that coincide.
  struct Place {
    std::size_t minimum = 0;      ///< the best there
    double delta_chi_square = 0;  ///< χ² there minus that of the estimates
    Index searches = 0;           ///< number that ended there
  };
  std::vector<Place> places;  ///< first the estimates, then the alternatives, best first
  std::optional<Place> next;  ///< the best of the other distinct minima
  Index lost = 0;             ///< searches that did not end at a minimum
};

/// Criteria for distinguishing minima.
struct MinimumRules {
  Vector best;                   ///< θ of the estimates
  double best_cost = 0;          ///< L there
  double chi_square_unit = 2;    ///< Δχ² = this times ΔL
  double indistinguishable = 4;  ///< Δχ² below which the recordings do not distinguish two minima: t²
};

/// The metric at a minimum, by its index in the list; none if unknown. Called once for each place.
using MetricAt = std::function<std::optional<MinimumMetric>(std::size_t minimum)>;

/// Two minima are different if d² > 9 in the metric of the better one, three standard errors apart. A different one is
/// an alternative if Δχ² < t². Searches that did not converge are not minima. `metric`: at `rules.best`.
MinimumPlaces find_places(const std::vector<FoundMinimum>& minima, const MinimumRules& rules,
                          const MinimumMetric& metric, const MetricAt& metric_at);

/// Where the searches from several starts ended.
struct ComparedMinima {
  std::vector<Index> places;                      ///< `FitMinimum::place`, by minimum of the last stage; empty: unknown
  std::vector<AlternativeEstimate> alternatives;  ///< best first
  std::string summary;                            ///< how many ended where, in a sentence; empty: there was one search
  EvaluationCounts evaluations;                   ///< for the comparison
};

/// After a search from several starts: where each ended, the alternatives with their own errors, from one tangent run
/// each, and in a sentence how many searches ended at each place. With τ the scale of the data
/// (`Posterior::data_scale`)
///    Δχ² = 2 ΔL/τ² / max(1, q²),
/// with q the mean ratio of robust to formal errors (`RobustErrors::mean_ratio`), since correlated residuals contain
/// less information. If priors or a loss have their own scales, the search continues with these from each possible
/// minimum first. `run`: r and J at the optimum.
ComparedMinima compare_minima(const ResolvedFit& fit, const FitOptimum& optimum, const WholeRun& run,
                              const AllErrors& errors, const MinimizerWatch& watch);

/// If errors are unknown: which searches ended at the lowest cost, in a sentence.
ComparedMinima compare_costs(const FitOptimum& optimum);

}  // namespace pithball::optim
