#pragma once
#include <Eigen/SparseCore>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "optim/fit/bounded_errors.hpp"
#include "optim/fit/problem.hpp"
#include "optim/fit/scaled_fit.hpp"
#include "optim/residual/residual.hpp"
#include "optim/residual/trajectory_residual.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::optim {

/// What a candidate concerns, in the order in which it is to be ruled out.
enum class Concern {
  Computation,  ///< how the motion is computed
  Measurement,  ///< how the recording was made, or where the body started
  Model,        ///< what acts, and on what
};

/// A spring that the model does not have.
struct MissingSpring {
  sim::Spring ends;        ///< the particles that it would join
  double rest_length = 0;  ///< [m]
};

/// A possible shortcoming of a fitted model: a value that the fit holds, the components of a vector, the attachment of
/// a marker, or something about how a recording was made. Its change β is 0 in the fitted model.
struct Candidate {
  std::string name;       ///< "quadratic_drag", "stiffness[412]", "marker C7 → particle 12"
  std::string value;      ///< "quadratic_drag", "stiffness"; "attachment" of a marker
  std::string unit;       ///< of β
  std::string recording;  ///< recording of a marker, or the one that was made in this way; empty: all
  sim::ValueOwner owner = sim::ValueOwner::Term;  ///< of the value: particle, spring or force
  Index item = -1;  ///< particle, spring or entry of forces; for a marker, the particle toward which it moved; for its
                    ///< offset, the marker; −1: all
  Vector held;      ///< the value in the fitted model: q entries; a factor is 1
  bool one_sided = false;                     ///< β ≥ 0: the value lies at 0 and is never negative
  bool is_positive = false;                   ///< the value is > 0, and stays so in a step
  Concern concern = Concern::Model;           ///< what it concerns
  std::optional<MissingSpring> missing = {};  ///< of a spring that the model does not have; `value` is its strength
  std::string key = {};  ///< what to write in the experiment file, where one line says it; else empty

  /// Whether no model is needed to rule it out.
  bool comes_before_model() const { return concern != Concern::Model; }
  /// Whether β changes a factor of the values given, which differ; a pure number that is 1 is the same as its factor.
  bool is_factor() const { return unit.empty() && (held.array() == 1).all(); }
  /// The value after a step: held + β; a decrease of a positive one is a step of its inverse, held/(1 − β/held): at
  /// rest, displacements are linear in masses and in compliances.
  Vector stepped(const Vector& step) const;
};

/// The values of a fit's models that it holds, as declarations of a ParameterMap whose start is the fitted model.
struct HeldValues {
  std::vector<Parameter> whole;     ///< each value of all its particles, springs or entries together
  std::vector<Parameter> elements;  ///< masses, charges, stiffnesses and rest lengths, each by itself
};

/// `scenarios`: those at the end of the fit. Values with key frames are left out, as are those that the fit already
/// varies for all its entries (`whole`), or for each by itself (`elements`).
HeldValues find_held_values(const std::vector<Parameter>& fitted, const std::vector<diff::Scenario>& scenarios);

/// Candidates and the parameters of a map that belong to them.
struct CandidateColumns {
  std::vector<Candidate> candidates;  ///< in the order of the map's parameters
  std::vector<Index> first;           ///< number of the first parameter of each, followed by the number of all
};
/// The candidates of a map of such declarations.
CandidateColumns list_candidates(const ParameterMap& map);

/// `missing` of a candidate in diagnosis.json.
void fields(FieldVisitor& v, MissingSpring& spring);
/// A candidate in diagnosis.json.
void fields(FieldVisitor& v, Candidate& candidate);

/// The residuals r (R) of a run with fitted values θ (P) and a change β (q) of a candidate. Throws InvalidArgument if
/// these are no values of a model.
using RunWithChange = std::function<Evaluation(const Vector& theta, const Vector& beta, Vector& r)>;

/// The effect of a candidate on the residuals.
struct CandidateEffect {
  Candidate candidate;            ///< what changes
  Eigen::SparseMatrix<double> G;  ///< ∂r/∂β, R×q
  RunWithChange run = {};         ///< null: it is judged by G alone
  double least_p =
      0;  ///< no test of it has a smaller p: the recordings themselves chose the candidate; 0: they did not
};

/// Calls `run` of an effect that has one; fails where that throws, because the step of a hardly determined value may
/// lead far out of range.
Evaluation run_changed(const CandidateEffect& effect, const Vector& theta, const Vector& beta, Vector& r);

class ResolvedFit;

/// The observations of a fit at θ, weighed as the fit weighs them: with the Brownian motion that it supposes.
struct SeenAt {
  std::vector<Observation> observations;         ///< with the recording_frames at θ
  std::vector<RecordingFrame> recording_frames;  ///< the same, by recording

  /// The recordings of a fit at θ.
  SeenAt(const ResolvedFit& fit, const Vector& theta);

  /// Gives this recording another frame. Its D is scaled with it, since 2D/scale² is part of the weights.
  void place(std::size_t recording, const RecordingFrame& frame);

  /// The residuals of these scenarios as functions of other values.
  TrajectoryResidual residual_of(const std::vector<Parameter>& declarations,
                                 const std::vector<diff::Scenario>& scenarios) const;
};

/// The end of a fit, from which candidates are tested.
struct FittedEnd {
  Vector theta;                           ///< θ
  const BoundedErrors& errors;            ///< with the rows of the fit; they must outlive this
  std::vector<diff::Scenario> scenarios;  ///< at θ
  SeenAt seen;                            ///< at θ

  /// The end of the fit at θ, where it has these errors.
  FittedEnd(const ResolvedFit& fit, const Vector& at, const BoundedErrors& there);
};

/// Errors of a fit at θ, by one run with tangents. `scales`: of the fit's residuals.
Evaluation find_errors(const ResolvedFit& fit, const Vector& theta, const ResidualScales& scales,
                       BoundedErrors& errors);

}  // namespace pithball::optim
