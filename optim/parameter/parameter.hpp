#pragma once
// Declarations of fit parameters, before `ParameterMap` resolves them against the scenarios.

#include <optional>
#include <string>
#include <vector>

#include "optim/parameter/prior.hpp"
#include "optim/parameter/transform.hpp"
#include "sim/core/types.hpp"

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

/// A tie: value = factor · other + offset.
struct Tie {
  std::string to;     ///< the other parameter: `name` or, without one, `value` of a declaration that is not tied
  double factor = 1;  ///< [unit of the value per unit of the other]
  double offset = 0;  ///< [unit of the value]
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
