#pragma once
#include <filesystem>
#include <string>

#include "optim/measurement/kinds/point.hpp"
#include "optim/observation/marker_tracks.hpp"

namespace pithball::app {

/// markers-<recording>.csv: a line with the units, the header, and one row for each marker in each frame, with the
/// columns
///    time, part (fit or forecast), marker,
///    recorded_x … recorded_z, model_x …, static_x …, constant_velocity_x …
/// as in optim::MarkerTracks: [s], and [m] in the model's frame of reference (other measurement kinds: their components
/// in their unit). An empty cell is missing. Numbers have enough digits to be read back bit for bit.
std::string marker_table(const optim::MarkerTracks& tracks);

/// Reads the tracks of a recording of this kind; `recording`, `failure` and `unreliable_step` are not in the file.
/// Throws InvalidArgument at file:line on anything else.
optim::MarkerTracks read_marker_table(const std::filesystem::path& file,
                                      const optim::MeasurementKind& kind = optim::point_kind());

}  // namespace pithball::app
