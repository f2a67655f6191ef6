#pragma once
// What a fit may vary: declarations, before they are resolved against the scenarios by `ParameterMap`.

#include <optional>
#include <string>
#include <vector>

#include "optim/parameter/prior.hpp"
#include "optim/parameter/transform.hpp"
#include "sim/core/types.hpp"

namespace pithball::optim {

using sim::Index;
using sim::Vector;

/// A named list of owners: particle indices for particle-owned values, spring indices for spring-owned ones, entry
/// indices for values of a term.
struct NamedEntries {
  std::string name;
  std::vector<Index> entries;
};

/// Which entries of one recording share one number.
enum class EntrySharing {
  All,     ///< one number for every selected entry
  Group,   ///< one number for each named group; entries in no group keep their values
  None,    ///< one number for each entry
  Smooth,  ///< numbers at a few control points, interpolated between (`ControlPoints`); positive values in logarithms
};

/// Which recordings share one number.
enum class RecordingSharing {
  All,    ///< one number for all recordings
  Label,  ///< one number for all recordings of the same label ("200 g", "400 g")
  Each,   ///< one number for each recording
};

/// A value that has no number of its own: value = factor · other + offset.
struct Tie {
  std::string to;     ///< the other one: `name` or, without one, `value` of a declaration that is not tied itself
  double factor = 1;  ///< [unit of the value per unit of the other]
  double offset = 0;  ///< [unit of the value]
};

/// One line of an experiment's `parameters:` list: which physical values are free, and which of them are one number p.
/// Every entry it selects is set to
///    value mode:   offset + p            (p has the unit of the value)
///    factor mode:  offset + p·(given − offset)   (p is dimensionless; entries keep their ratios)
/// where `given` is the entry's value in the scenario. Entries of vectors (position, velocity, and term values with
/// three entries, such as gravity and a uniform field) are parameters by component, except in factor mode; entries with
/// key frames (`sim::KeyFrames`) likewise by key time.
struct Parameter {
  std::string value;  ///< a block of Model::values() ("charge", "stiffness", …), or "position" [m] (displacement, for a
                      ///< scenario that starts from rest) or "velocity" [m/s] at t = 0
  std::string name;  ///< printed instead of `value`; empty: `value`

  EntrySharing entries = EntrySharing::All;
  std::vector<NamedEntries> groups;  ///< for EntrySharing::Group
  std::vector<Index> selected;       ///< only these owners; empty: all
  Index control_points = 8;          ///< for EntrySharing::Smooth
  std::string components;            ///< only these components of vectors, as "x", "xz"; empty: all

  RecordingSharing recordings = RecordingSharing::All;
  std::vector<std::string> labels;  ///< for RecordingSharing::Label: one for each scenario
  std::vector<Index> scenarios;     ///< only these scenarios; empty: all

  bool factor = false;         ///< p multiplies the initial values instead of replacing them
  std::vector<Vector> offset;  ///< known part, in the order of the block, one vector for each scenario; empty: 0

  std::optional<double> initial;  ///< of p; default: the mean over its entries of what the scenarios give (factor: 1)
  std::optional<double> lower, upper;  ///< bounds of p; a value that may not be negative is bounded by 0 besides
  Transform::Kind transform = Transform::Kind::Automatic;
  double scale = 0;           ///< of the transform: a large change of p; 0: the size of the starts, or of the bounds
  std::vector<Prior> priors;  ///< of p, or of its neighbors' differences
  /// Nobody asked for it: the state at the start of a recording, which has to be found for the others' sake. Searches
  /// from several starts leave it where it is.
  bool is_nuisance = false;

  /// If given, the selected entries follow those of another declaration: each the entry of the same owner, component
  /// and key time, if there is one, otherwise the one number that all entries of the other share. Sharing, start,
  /// bounds and transform are then the other's.
  std::optional<Tie> tie = {};
};

}  // namespace pithball::optim
