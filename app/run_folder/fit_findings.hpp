#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "optim/fit/fit_profiles.hpp"
#include "optim/uncertainty/whiteness.hpp"

namespace pithball::app {

/// fit.json's `whiteness`: [{recording, all: {…}, markers: [{…}], between: {…}}] with the numbers of optim::Whiteness
/// and optim::MarkerCorrelation.
nlohmann::ordered_json whiteness_json(const std::vector<optim::RecordingWhiteness>& recordings);
/// Reads it back. Throws nlohmann's exceptions on another document.
std::vector<optim::RecordingWhiteness> read_whiteness(const nlohmann::ordered_json& json);

/// fit.json's `profile`: [{name, unit, threshold, interval, open, points: [[value, rise of χ²]]}]; an open end is null,
/// and `open` gives the reasons: [below, above].
nlohmann::ordered_json profiles_json(const std::vector<optim::FittedProfile>& profiles);
/// Reads it back; open ends become unknown. Throws likewise.
std::vector<optim::FittedProfile> read_profiles(const nlohmann::ordered_json& json);

}  // namespace pithball::app
