#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "optim/fit/fit.hpp"

namespace pithball::app {

/// fit.json's `whiteness`: [{recording, all: {…}, markers: [{…}], between: {…}}] with the numbers of optim::Whiteness
/// and optim::MarkerCorrelation.
nlohmann::ordered_json whiteness_json(const std::vector<optim::RecordingWhiteness>& recordings);
/// The inverse. Throws nlohmann's exceptions where the document is none.
std::vector<optim::RecordingWhiteness> read_whiteness(const nlohmann::ordered_json& json);

/// fit.json's `profile`: [{name, unit, threshold, interval, open, points: [[value, rise of χ²]]}]; an end without limit
/// is null, and `open` says why: [below, above].
nlohmann::ordered_json profiles_json(const std::vector<optim::FittedProfile>& profiles);
/// The inverse, but for ends without limit, which are not known. Throws likewise.
std::vector<optim::FittedProfile> read_profiles(const nlohmann::ordered_json& json);

}  // namespace pithball::app
