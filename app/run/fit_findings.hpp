#pragma once
#include <nlohmann/json.hpp>

#include "optim/fit/fit.hpp"

namespace pithball::app {

/// fit.json's `whiteness`: [{recording, all: {…}, markers: [{…}]}] with the numbers of optim::Whiteness.
nlohmann::ordered_json whiteness_json(const std::vector<optim::RecordingWhiteness>& recordings);

/// fit.json's `profile`: [{name, unit, threshold, interval, open, points: [[value, rise of χ²]]}]; an end without limit
/// is null, and `open` says why: [below, above].
nlohmann::ordered_json profiles_json(const std::vector<optim::FittedProfile>& profiles);

}  // namespace pithball::app
