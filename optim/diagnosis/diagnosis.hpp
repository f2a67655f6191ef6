#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "optim/diagnosis/candidate.hpp"
#include "optim/diagnosis/score_test.hpp"
#include "optim/fit/report.hpp"
#include "optim/verdict/fit_quality.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::optim {

/// Which single particles, springs and attachments are tested: none, those of bodies with few enough to be tested
/// without probes, or all. Without any, the time step is not tested either, a start only as that of a rigid body, and
/// offsets of markers only of few: each fit that converges can afford that.
enum class TestedElements { None, Few, All };

/// Settings of a diagnosis.
struct DiagnosisOptions {
  double level = 0.01;     ///< level of the adjusted p below which a candidate is reported
  Index probes = 21;       ///< random adjoint passes for the information of many candidates
  Index exact = 20;        ///< of them, those with the largest ratio are computed exactly
  std::uint64_t seed = 1;  ///< of the probes
  /// Which single particles, springs and attachments are tested.
  TestedElements elements = TestedElements::All;

  /// Number of elements that can be tested without probes.
  Index few() const { return probes + exact; }
  /// Whether this many elements of a kind are tested.
  bool covers(Index count) const { return elements == TestedElements::All || count <= few(); }
};

/// A candidate and its test.
struct TestedCandidate {
  Candidate candidate;                                         ///< what was tested
  ScoreTest test;                                              ///< β = 0 against any other
  double adjusted = std::numeric_limits<double>::quiet_NaN();  ///< p for the number of tests (score_test.hpp)
  bool is_exact = true;                                        ///< false: `ScoreTester::estimate` or `screen`
  /// 1: would improve the fit most; 2: most in addition to the first; and so on. 0: not significant in addition to
  /// these.
  Index order = 0;
  std::vector<std::string> same = {};  ///< names of candidates that the recordings cannot tell from it, if it is first
  /// Whether it promised most of the excess, and its trial stopped short of a minimum: it may be the cause.
  bool is_undecided = false;
  /// Part of `Diagnosis::excess` that it explains; with an order, in addition to the ones before; NaN: unknown.
  double explained = std::numeric_limits<double>::quiet_NaN();
};

/// What a fitted model lacks.
struct Diagnosis {
  std::string failure;  ///< why nothing was tested; empty on success
  double level = 0.01;  ///< of `adjusted`, below which a finding is significant
  /// χ² of the fit in excess of the degrees of freedom, which noise alone would give; NaN: sigma is not a measured
  /// noise, or the excess is not `beyond_chance`.
  double excess = std::numeric_limits<double>::quiet_NaN();
  /// Frames after this simulated time were left out, because the fit of all of them is too far off [s]
  /// (misfit_diagnosis.hpp); NaN: none were.
  double horizon = std::numeric_limits<double>::quiet_NaN();
  std::vector<TestedCandidate> findings;  ///< all that were tested: what is lacking, then smallest p first
  std::vector<Candidate> same_as_fitted;  ///< candidates that the fitted values explain, or without any effect
  bool has_untested = false;              ///< single particles, springs or attachments were left out
  EvaluationCounts evaluations;           ///< each counts all recordings once
  double seconds = 0;                     ///< wall time [s]
  std::vector<std::string> notes;         ///< notes for the user, one sentence each

  /// Whether anything was tested.
  bool ok() const { return failure.empty(); }
  /// Part of the excess that all with an `order` explain together; NaN: unknown.
  double explained() const;
  /// Whether they leave more of the excess than they explain, so that none of them is called the cause.
  bool leaves_most() const { return explained() < most_of_misfit; }
  /// Whether something is lacking that can be called the cause.
  bool names_cause() const { return !lacking().empty() && !leaves_most(); }
  /// Number of findings with `adjusted` below the level: the first ones.
  Index significant() const;
  /// Those with an `order`, in that order: what the model lacks. Others are significant only by themselves: these
  /// explain them, or they were not tested together with these.
  std::vector<const TestedCandidate*> lacking() const;
};

/// Tests values that the fit holds: each by the score of the fit's cost at β = 0, without a refit, adjusted for the
/// number of all tests. Values of the whole body, markers' attachments, the time step (model_candidates.hpp), the
/// measurement (measurement_chain.hpp, marker_clocks.hpp) and the start (start_states.hpp) are tested with their exact
/// derivatives; those of single particles and springs, also of springs that the body does not have
/// (model_candidates.hpp), by one adjoint for all scores, and random adjoint passes for their information, then the
/// most likely ones exactly. `extended`: the same fit with forces of strength 0, whose values of the whole body are
/// tested; it may be `fit` itself.
Diagnosis diagnose(const ResolvedFit& fit, const ResolvedFit& extended, const FittedEnd& end,
                   const DiagnosisOptions& options = {});
/// The same where only θ is known; `scales`: of the residuals. It costs one more run with tangents. Throws
/// InvalidArgument if the fit has too many values for its whole Jacobian.
Diagnosis diagnose(const ResolvedFit& fit, const ResolvedFit& extended, const Vector& theta,
                   const ResidualScales& scales, const DiagnosisOptions& options = {});

/// An entry of `findings` in diagnosis.json.
void fields(FieldVisitor& v, TestedCandidate& finding);

}  // namespace pithball::optim
