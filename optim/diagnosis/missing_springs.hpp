#pragma once
#include <vector>

#include "optim/diagnosis/candidate.hpp"

namespace pithball::optim {

/// Springs that a body may lack, added to its models with stiffness 0, so that they move nothing: derivatives by their
/// stiffness are those by any other spring's.
struct MissingSprings {
  std::string value;  ///< their strength, as the body's springs have it: "stiffness", "axial_stiffness"
  Index first = 0;    ///< number of the first one: that of the body's springs
  std::vector<MissingSpring> springs;  ///< in the order of their numbers

  /// Number of them.
  Index count() const { return static_cast<Index>(springs.size()); }
  /// These scenarios with them.
  std::vector<diff::Scenario> added_to(std::vector<diff::Scenario> scenarios) const;
  /// Declares the body's values for each of its springs, which these must not be among, and then their strengths.
  void declare(std::vector<Parameter>& elements) const;
  /// Names the last candidates, which are these.
  void name(std::vector<Candidate>& candidates) const;
};

/// Each pair of particles that no spring joins, with the length at which it would rest: their distance at the start (or
/// where the body rests), times the median of rest length over length of the body's springs there. Where there are more
/// pairs than `many`, only near ones: no farther apart than two springs of median length in a row. None for a body
/// without springs, and for recordings of bodies with different ones.
MissingSprings find_missing_springs(const std::vector<diff::Scenario>& scenarios, Index many);

}  // namespace pithball::optim
