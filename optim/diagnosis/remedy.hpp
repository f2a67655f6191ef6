#pragma once
#include <string>
#include <vector>

#include "optim/diagnosis/diagnosis.hpp"

namespace pithball::optim {

/// What to write into the experiment file for a finding that concerns a measurement: "clock: {offset: [-8 ms, 0 ms]}",
/// a setting of its recording unless it begins with `parameters`; for a missing spring, the whole key beside which
/// others may stand: "system.springs.added: [{…}]". Empty where one line does not say it.
std::string remedy_of(const TestedCandidate& finding, const std::vector<Observation>& observations,
                      const std::vector<diff::Scenario>& scenarios);

}  // namespace pithball::optim
