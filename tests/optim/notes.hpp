#pragma once
#include <algorithm>
#include <string>

#include "optim/fit/report.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/complaint.hpp"

namespace pithball::test {

/// Whether one of the notes of a fit contains these words.
inline bool tells(const optim::FitReport& report, const std::string& words) {
  return std::ranges::any_of(report.notes, [&](const std::string& note) { return contains(note, words); });
}

/// A shared value that is fitted as a factor of its true one.
inline optim::Parameter times_truth(const std::string& value, double initial) {
  optim::Parameter p = shared(value, initial);
  p.factor = true;
  return p;
}

}  // namespace pithball::test
