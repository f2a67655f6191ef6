#pragma once
#include <cmath>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/core/types.hpp"

// Priors. Each kind is a residual in units of its standard deviation, like those of the data: ½ Σ r² is minus the log
// prior density.

namespace pithball::optim {

/// Gaussian prior of p:  r = (p − mean)/deviation.
struct GaussianPrior {
  static constexpr const char* name = "gaussian";  ///< word in experiment files
  double mean = 0,                                 ///< unit of p
      deviation = 1;                               ///< unit of p, > 0

  /// r, in standard deviations.
  double residual(double p) const { return (p - mean) / deviation; }
  /// dr/dp, the same for all p.
  double slope(double) const { return 1 / deviation; }
};

/// Lognormal prior, p known within about a factor:  r = ln(p/median)/deviation.
struct LognormalPrior {
  static constexpr const char* name = "lognormal";  ///< word in experiment files
  double median = 1;                                ///< > 0, unit of p
  double deviation = 1;  ///< > 0, of ln p: approximately the relative standard deviation of p

  /// r, for p > 0.
  double residual(double p) const { return std::log(p / median) / deviation; }
  /// dr/dp, for p > 0.
  double slope(double p) const { return 1 / (p * deviation); }
};

/// p is at `value`, with few exceptions (a smoothed Laplace distribution):
///    ½r² = √(z² + ε²) − ε,   z = (p − value)/scale,   ε = 0.1.
/// Beyond ε the cost grows like |z|, so that p stays at `value` unless the data pull it away.
struct LaplacePrior {
  static constexpr const char* name = "laplace";  ///< word in experiment files
  static constexpr double smoothing = 0.1;        ///< ε
  double value = 0,                               ///< unit of p
      scale = 1;                                  ///< unit of p, > 0: the mean distance of exceptions

  /// r, with the sign of p − value.
  double residual(double p) const {
    const double z = (p - value) / scale;
    return z * std::sqrt(2 / (std::hypot(z, smoothing) + smoothing));  // √(2(√(z² + ε²) − ε)) with the sign of z
  }
  /// Variance of p in the Laplace distribution that this smooths, 2 scale². The curvature at the kink is 1/(ε scale²),
  /// which would underestimate it.
  double variance() const { return 2 * scale * scale; }
  /// dr/dp, > 0.
  double slope(double p) const {
    const double z = (p - value) / scale, root = std::hypot(z, smoothing);
    return std::sqrt((root + smoothing) / 2) / (root * scale);
  }
};

/// Neighbors on the mesh have similar values:  r = (p_a − p_b)/deviation, or ln(p_a/p_b)/deviation if `relative`, for
/// all pairs of neighbors with separate parameters. Neighbors are the two ends of a spring, or two springs that share a
/// particle. (A Gaussian Markov random field; Rue & Held 2005, section 3.2.)
struct SmoothPrior {
  static constexpr const char* name = "smooth";  ///< word in experiment files
  double deviation = 1;                          ///< > 0, of the difference of two neighbors: unit of p, or 1
  bool relative = false;                         ///< compares logarithms, of values that are > 0
  /// Its deviation is to be found from the recordings (fit_prior.hpp); here it is where that begins.
  bool open = false;

  /// r of two neighbors.
  double residual(double a, double b) const { return (relative ? std::log(a / b) : a - b) / deviation; }
  double slope(double p) const { return (relative ? 1 / p : 1) / deviation; }  ///< ∂r/∂a at a; −∂r/∂b at b
};

/// Any prior; experiment files use its `name`.
using Prior = std::variant<GaussianPrior, LognormalPrior, LaplacePrior, SmoothPrior>;

/// The physical value p as a strictly increasing function of the number θ that the minimizer varies. With a good
/// transform a change of θ by 1 is large but meaningful, so that one tolerance suits all parameters.
class Transform {
 public:
  /// The function p(θ).
  enum class Kind {
    Automatic,  ///< chosen by the parameter map: Log if the value's sign is fixed, Scaled otherwise
    Identity,   ///< p = θ
    Log,        ///< p = exp θ; keeps p positive; a standard error of θ is a relative error of p
    Scaled,     ///< p = scale·θ
  };

  Transform() = default;
  /// kind must not be Automatic; scale (> 0, unit of p) is only used by Scaled.
  explicit Transform(Kind kind, double scale = 1);

  /// The function; never Automatic.
  Kind kind() const { return kind_; }
  /// p at θ = 1 of Scaled, in the unit of p; not used by the other kinds.
  double scale() const { return scale_; }
  double value(double theta) const;       ///< p(θ)
  double theta(double value) const;       ///< the inverse; −∞ for Log at 0, NaN for Log below 0
  double derivative(double theta) const;  ///< dp/dθ > 0

 private:
  Kind kind_ = Kind::Identity;
  double scale_ = 1;
};

/// "auto", "identity", "log", "scaled": the words in experiment files.
std::string to_string(Transform::Kind kind);

}  // namespace pithball::optim

// Declarations of fit parameters, before `ParameterMap` resolves them against the scenarios.

namespace pithball::optim {

using sim::Index;
using sim::Vector;

/// A named list of owners: particle indices for particle values, spring indices for spring values, entry indices for
/// values of a term.
struct NamedEntries {
  std::string name;            ///< that of a group in the experiment file
  std::vector<Index> entries;  ///< each at most once
};

/// Which entries of one recording share a parameter.
enum class EntrySharing {
  All,     ///< one parameter for all selected entries
  Group,   ///< one parameter per named group; entries in no group keep their values
  None,    ///< one parameter per entry
  Smooth,  ///< parameters at a few control points, interpolated between (`ControlPoints`); positive values on a
           ///< logarithmic scale
};

/// Which recordings share a parameter.
enum class RecordingSharing {
  All,    ///< one parameter for all recordings
  Label,  ///< one parameter per label ("200 g", "400 g")
  Each,   ///< one parameter per recording
};

/// Which entries of one recording a declaration selects, and which of them share one parameter.
struct EntrySelection {
  EntrySharing sharing = EntrySharing::All;  ///< within each recording
  std::vector<NamedEntries> groups;          ///< for EntrySharing::Group
  std::vector<Index> selected;               ///< owners; empty: all
  Index control_points = 8;                  ///< for EntrySharing::Smooth
  std::string components;                    ///< components of vectors, as "x", "xz"; empty: all
};

/// Which recordings a declaration selects, and which of them share one parameter.
struct RecordingSelection {
  RecordingSharing sharing = RecordingSharing::All;  ///< between recordings
  std::vector<std::string> labels;                   ///< for RecordingSharing::Label: one for each scenario
  std::vector<Index> scenarios;                      ///< empty: all
};

/// Where, and on which scale, a solver varies p.
struct SearchRange {
  /// Smallest p; default: none, or 0 for non-negative values. In factor mode without `factor`, smallest value − offset
  /// of every entry.
  std::optional<double> lower;
  std::optional<double> upper;                             ///< likewise the largest; default: none
  Transform::Kind transform = Transform::Kind::Automatic;  ///< scale on which the solver varies p
  /// Of the transform: a large change of p; 0: the magnitude of the initial values, or of the bounds.
  double scale = 0;
};

/// A tie: value = factor · other^power + offset.
struct Tie {
  std::string to;     ///< the other parameter: `name` or, without one, `value` of a declaration that is not tied
  double factor = 1;  ///< [unit of the value per unit of the other^power]
  double offset = 0;  ///< [unit of the value]
  double power = 1;   ///< other than 1 for a parameter that stays positive
};

/// An item of an experiment's `parameters:` list: the physical values that are free, and which of them share one
/// parameter p. Every selected entry is set to
///    value mode:   offset + p            (p has the unit of the value)
///    factor mode:  offset + p·(given − offset)   (p is dimensionless; entries keep their ratios)
/// where `given` is the entry's value in the scenario. Without `factor`, `initial` and `priors`, it is in factor mode
/// if entries differ that would share one parameter (All, Group): a fit then starts at the values given. Entries of
/// vectors (position, velocity, and term values with three entries, such as gravity and a uniform field) are parameters
/// by component, except in factor mode; entries with key frames (`sim::KeyFrames`) by key time, unless `factor`.
struct Parameter {
  std::string value;  ///< a block of Model::values() ("charge", "stiffness", …), or "position" [m] (displacement, for a
                      ///< scenario that starts from rest) or "velocity" [m/s] at t = 0
  std::string name;  ///< printed instead of `value`; empty: `value`
  /// What is printed.
  const std::string& printed_name() const { return name.empty() ? value : name; }

  EntrySelection entries;         ///< within each recording
  RecordingSelection recordings;  ///< between recordings

  std::optional<bool> factor =
      {};                      ///< whether p multiplies the given values instead of replacing them; empty: see above
  std::vector<Vector> offset;  ///< known part, in the order of the block, one vector for each scenario; empty: 0

  std::optional<double> initial;  ///< of p; default: the mean of its entries in the scenarios (factor: 1)
  SearchRange range;              ///< where, and on which scale, p is searched
  std::vector<Prior> priors;      ///< of p, or of differences between neighbors
  /// Nuisance parameter: the initial state of a recording, which must be estimated but was not requested. Searches from
  /// several starts do not vary it.
  bool is_nuisance = false;

  /// If given, the selected entries are tied to those of another declaration: each to the entry of the same owner,
  /// component and key time, if there is one, otherwise to the single parameter shared by all its entries. Sharing,
  /// initial value, bounds and transform are those of the other declaration.
  std::optional<Tie> tie = {};
};

}  // namespace pithball::optim
