#pragma once
#include <string>
#include <vector>

#include "optim/fit/run_statistics.hpp"
#include "optim/fit/search.hpp"
#include "optim/residual/trajectory_residual.hpp"
#include "optim/residual/whole_run.hpp"

namespace pithball::optim {

/// Spectrum of numbers that belong to the rows of a residual, over the times of their frames, which may be uneven. A
/// series is one component of one marker of one recording; the power at a frequency f is
///    P(f) = Σ_series |Σ_frames y e^(−2πi f t)|².
/// Evenly spaced frames, Δt apart, cannot distinguish f from f + n/Δt, and neither can P.
class FrameSpectrum {
 public:
  /// The rows of this residual, at the simulated times of its samples.
  explicit FrameSpectrum(const TrajectoryResidual& residual);

  /// Number of rows, R.
  Index rows() const { return static_cast<Index>(series_.size()); }
  /// From the first to the last frame of the longest recording [s]. A line of the spectrum is 1/duration wide.
  double duration() const { return duration_; }
  /// P at f [Hz] of the numbers y (R), in their unit squared.
  double power(const Vector& y, double frequency) const;
  /// Frequencies [Hz] of the local maxima of P between two frequencies, highest first. P is evaluated at intervals of
  /// 1/(4 duration), but at 4096 frequencies at most, and each maximum is refined with a parabola.
  std::vector<double> peaks(const Vector& y, double lowest, double highest) const;

 private:
  struct SeenFrame {
    double time = 0;
    Index first = 0, end = 0;
  };
  std::vector<SeenFrame> frames_;
  std::vector<Index> series_;  // by row
  Index series_count_ = 0;
  double duration_ = 0;
};

class ResolvedFit;

/// How fitted values change with the frequency of the body's elastic motion: p ∝ f^power.
struct FrequencyScaling {
  std::vector<int> powers;  ///< P: 2 of a stiffness, −2 of a compliance; −2 of a mass if there are neither; 0: others
  std::string names;        ///< of the values with a power: "stiffness, bending_stiffness"; empty: there are none

  /// dθ/d ln f, P.
  Vector direction(const ParameterMap& map, const Vector& theta) const;
  /// θ with these values multiplied by ratio^power, within their bounds.
  Vector scaled(const ParameterMap& map, const Vector& theta, double ratio) const;
};

/// Finds these values by their declarations (`sim::ValueScaling`). Nuisance values are not changed.
FrequencyScaling find_frequency_scaling(const ParameterMap& map);

/// Frequency f [Hz] of the motion that changes with these values: the highest peak of the spectrum of ∂r/∂ln f at
/// θ, with up to 15 instants between neighboring frames so that it is not an alias. One recorded run and one tangent.
/// NaN: the motion cannot be simulated, or no peak has at least two periods in the recordings.
double find_elastic_frequency(const ResolvedFit& fit, const FrequencyScaling& scaling, const Vector& theta,
                              EvaluationCounts& counts);

/// Where a further search may begin.
struct FurtherStart {
  Vector theta;               ///< P
  std::string why;            ///< "stiffness × 1.26 (8.72 instead of 7.76 Hz)", "the weak form's estimate", …
  bool is_alias = false;      ///< its motion differs from that of the estimates by whole periods between frames
  bool is_likeliest = false;  ///< searched from first, whatever |r|² there: amplitudes still are those of the estimates
  double square = NAN;        ///< |r|² there; NaN: not evaluated, or it cannot be
  /// The first of the recordings whose depth it reverses (depth_reversal.hpp); −1: none.
  Index reversed = -1;
  bool is_from_end = false;  ///< but for the frequency, it is the end of the searches before
};

/// What further searches start from.
struct FurtherBasis {
  const ResolvedFit& fit;        ///< the problem
  const FitOptimum& optimum;     ///< the end of the search
  const Vector& r;               ///< residuals there
  const MotionAliases& aliases;  ///< of the motion there
  bool is_off = true;            ///< the fit is off; else only aliases are compared
};

/// Further starts, the likeliest first, where the fit is off:
/// - at other frequencies f′ of the elastic motion, where the spectrum of the residuals has its peaks between f/3 and
///   3f: what was recorded and not reproduced oscillates at f′. Frames at intervals Δt repeat each peak at f′ ± n/Δt,
///   so that these are among them;
/// - at the aliases |f ± n/Δt| of the estimates themselves, in the same range;
/// - at f ± 1/T and f ± 2/T, one and two periods more or fewer in the duration T of the recording;
/// - the estimate by the weak form;
/// - eight points drawn as for `fit.starts`;
/// otherwise the aliases alone.
std::vector<FurtherStart> find_further_starts(const FurtherBasis& basis, EvaluationCounts& counts);

/// Why further starts are tried.
struct FurtherCall {
  bool is_off = false;  ///< the fit is off; else aliases are possible
  std::string why;      ///< "reduced χ² 2.08", …; empty: none are tried
  double enough = 0;    ///< |r|² at which further starts are no longer needed; 0: no such value
};

/// Ends of further searches.
struct FurtherSearch {
  std::vector<FoundMinimum> ends;  ///< their starts are numbered from 1
  EvaluationCounts evaluations;    ///< of all that was tried
  bool has_all_aliases = false;    ///< a search from every alias among the starts converged
  std::string sentence;            ///< what was tried, and why
  Index reversed = -1;             ///< as `FurtherStart::reversed`, of the start that was searched from
};

/// Computes |r|² at as many starts as the budget [runs] allows, the likeliest and the best first; drops the others and
/// those that cannot be simulated.
std::vector<FurtherStart> compared(const ResolvedFit& fit, std::vector<FurtherStart> starts, double budget,
                                   EvaluationCounts& counts);

/// Cost of evaluations in forward runs: a tangent of P directions counts 1 + P.
double runs_of(const EvaluationCounts& counts, Index parameters);

/// Compares |r|² at the further starts, one run each, and searches from the best while the cost stays below that of the
/// first search and none was enough.
FurtherSearch search_further(const FurtherBasis& basis, const FurtherCall& call, const MinimizerWatch& watch);

}  // namespace pithball::optim
