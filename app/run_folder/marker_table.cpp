#include "app/run_folder/marker_table.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>

#include "app/base/quoted_cell.hpp"
#include "datasets/text/csv_table.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

using datasets::CsvTable;
using optim::Index;
using optim::MarkerTracks;
using optim::Part;
using optim::Points;

std::string units(const optim::MeasurementKind& kind) {
  return fmt::format(
      "# time [s] of the simulation; {}; an empty cell is missing\n",
      kind.geometry.is_place ? "positions [m] in the model's frame" : fmt::format("{} [{}]", kind.name, kind.unit));
}

/// The columns of a kind of positions: their name and values.
struct Quantity {
  const char* name;
  std::vector<Points> MarkerTracks::*frames;
};
constexpr std::array<Quantity, 4> quantities{{{"recorded", &MarkerTracks::recorded},
                                              {"model", &MarkerTracks::model},
                                              {"static", &MarkerTracks::static_baseline},
                                              {"constant_velocity", &MarkerTracks::constant_velocity}}};
Part read_part(const CsvTable& table, Index row, Index column) {
  const std::string_view text = table.cell(row, column).text;
  for (const Part part : optim::all_parts)
    if (text == optim::to_string(part)) return part;
  throw InvalidArgument({table.where(row, column), "part", "must be fit, validation_frame or validation_marker",
                         "'" + std::string(text) + "'", "repeat the fit, which writes this file"});
}

}  // namespace

std::string marker_table(const MarkerTracks& tracks) {
  const auto components = static_cast<int>(tracks.kind->components.size());
  std::string text = units(*tracks.kind);
  text += "time,part,marker";
  for (const Quantity& quantity : quantities)
    for (const std::string& component : tracks.kind->components)
      text += fmt::format(",{}_{}", quantity.name, component);
  text += '\n';
  std::vector<std::string> names;
  for (const std::string& marker : tracks.markers) names.push_back(quoted_cell(marker));
  for (std::size_t g = 0; g < tracks.times.size(); ++g)
    for (std::size_t m = 0; m < names.size(); ++m) {
      fmt::format_to(std::back_inserter(text), "{},{},{}", tracks.times[g], optim::to_string(tracks.part(g, m)),
                     names[m]);
      for (const Quantity& quantity : quantities)
        for (int a = 0; a < components; ++a) {
          const double value = (tracks.*quantity.frames)[g](a, m);
          text += ',';
          if (std::isfinite(value)) fmt::format_to(std::back_inserter(text), "{}", value);
        }
      text += '\n';
    }
  return text;
}

MarkerTracks read_marker_table(const std::filesystem::path& file, const optim::MeasurementKind& kind) {
  const CsvTable table(file.string(), 1, 0);
  const Index time = table.find_column("time", "column"), part = table.find_column("part", "column"),
              marker = table.find_column("marker", "column");
  MarkerTracks tracks;
  tracks.kind = &kind;
  const std::size_t components = kind.components.size();
  for (Index row = 0; row < table.rows() && table.number(row, time) == table.number(0, time); ++row)
    tracks.markers.emplace_back(table.cell(row, marker).text);
  const Index markers = tracks.markers.size();
  if (markers == 0 || table.rows() % markers != 0)
    throw InvalidArgument({file.string(), "table", "must have one row for each marker in each frame",
                           fmt::format("{} rows, {} markers in the first frame", table.rows(), markers),
                           "repeat the fit, which writes this file"});
  for (Index row = 0; row < table.rows(); row += markers) {
    tracks.times.push_back(table.number(row, time));
    tracks.parts.push_back(read_part(table, row, part) == Part::ValidationFrame ? Part::ValidationFrame : Part::Fit);
    for (Index m = 0; m < markers; ++m)
      if (read_part(table, row + m, part) == Part::ValidationMarker) {
        tracks.validation_markers.resize(tracks.markers.size(), false);
        tracks.validation_markers[m] = true;
      }
  }
  for (const Quantity& quantity : quantities) {
    std::array<Index, 3> columns{};
    for (std::size_t a = 0; a < components; ++a)
      columns[a] = table.find_column(fmt::format("{}_{}", quantity.name, kind.components[a]), "column");
    std::vector<Points>& frames = tracks.*quantity.frames;
    frames.assign(tracks.times.size(), Points::Constant(3, markers, NAN));
    for (Index row = 0; row < table.rows(); ++row)
      for (std::size_t a = 0; a < components; ++a)
        frames[row / markers](a, row % markers) = table.number(row, columns[a]);
  }
  return tracks;
}

}  // namespace pithball::app
