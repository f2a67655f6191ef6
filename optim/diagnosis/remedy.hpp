#pragma once
#include <string>
#include <vector>

#include "optim/diagnosis/diagnosis.hpp"

namespace pithball::optim {

/// What to write into the experiment file for a finding that concerns a measurement: "clock: {offset: [-8 ms, 0 ms]}",
/// a setting of its recording unless it begins with `parameters`; for a missing spring, the whole key, to which other
/// entries may be added: "system.springs.added: [{…}]". Empty if one line is not enough.
std::string remedy_of(const TestedCandidate& finding, const std::vector<Observation>& observations,
                      const std::vector<diff::Scenario>& scenarios);

/// What else the remedy changes, in a phrase; empty: nothing. With springs of other strengths a fitted strength is a
/// factor of all.
std::string effect_of_remedy(const Candidate& candidate);

}  // namespace pithball::optim
