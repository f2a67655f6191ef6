#include "datasets/capture/marker_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include "datasets/capture/capture_spec.hpp"
#include "datasets/text/nearest.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/checked_product.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

std::vector<double> times_of(const MarkerFile& file, const CaptureSpec& spec) {
  if (!std::isfinite(spec.rate) || spec.rate < 0)
    throw InvalidArgument({file.path, "rate", "must be > 0 1/s", std::to_string(spec.rate), "give frames per second"});
  if (spec.rate == 0 && !file.time.empty()) return file.time;
  const double rate = spec.rate > 0 ? spec.rate : file.rate;
  if (!(rate > 0) || !std::isfinite(rate))
    throw InvalidArgument({file.path, "rate", "must be known", "none in the file", "give rate: frames per second"});
  std::vector<double> time;
  for (std::size_t f = 0; f < file.positions.size(); ++f)
    time.push_back(file.frames.empty() ? f / rate : (file.frames[f] - file.frames.front()) / rate);
  return time;
}

std::vector<std::string> names_of(const MarkerFile& file) {
  std::vector<std::string> names = file.markers;
  for (std::size_t m = 0; m < names.size(); ++m)
    if (names[m].empty()) names[m] = std::string("#").append(std::to_string(m + 1));
  return names;
}

/// For each marker, whether it has all recorded coordinates and does not repeat those of the frame `before` (null: not
/// compared).
std::vector<bool> seen_markers(const sim::Points& raw, const std::array<bool, 3>& recorded, const sim::Points* before) {
  std::vector<bool> seen;
  for (Index m = 0; m < raw.cols(); ++m) {
    bool complete = true, repeated = before != nullptr;
    for (Index a = 0; a < 3; ++a) {
      if (!recorded[a]) continue;
      complete = complete && std::isfinite(raw(a, m));
      repeated = repeated && raw(a, m) == (*before)(a, m);
    }
    seen.push_back(complete && !repeated);
  }
  return seen;
}

double unit_of(const MarkerFile& file, const CaptureSpec& spec) {
  if (spec.frame_of_reference.scale) return 1;  // the scale replaces the unit of the file
  if (file.unit) return *file.unit;
  throw InvalidArgument({file.path, "unit of length", "must be known",
                         file.unit_name.empty() ? "none in the file" : "'" + file.unit_name + "'",
                         "give scale: the length of one unit, such as 1 mm"});
}

}  // namespace

bool names_columns(const CaptureSpec& spec) {
  const RowSpec untouched;
  const ColumnSpec& columns = spec.columns;
  return spec.rows.header_line != untouched.header_line || spec.rows.first_data_line != 0 || !columns.time.empty() ||
         !columns.frame.empty() || !columns.marker.empty() || !columns.points.empty() || !columns.names.empty() ||
         !spec.rows.segment.empty() || spec.rows.order != untouched.order;
}

CaptureSpec without_columns(const CaptureSpec& spec) {
  CaptureSpec rest = spec;
  rest.select.clear();
  rest.columns = {};
  rest.rows = {};
  return rest;
}

void check_samples(std::size_t frames, std::size_t markers, const std::string& path) {
  constexpr std::size_t most = std::size_t{1} << 24;
  if (!checked_product(std::array{frames, markers}, most))
    throw InvalidArgument({path, "recording", "must have at most " + std::to_string(most) + " frames times markers",
                           std::to_string(frames) + " frames of " + std::to_string(markers) + " markers",
                           "keep the longest tracks, or give `select`: the markers to read"});
}

std::vector<Index> selected_markers(const std::string& path, const std::vector<std::string>& names,
                                    const std::vector<std::string>& select) {
  std::vector<Index> chosen(names.size());
  std::iota(chosen.begin(), chosen.end(), Index{0});
  if (select.empty()) return chosen;
  chosen.clear();
  for (const std::string& wanted : select) {
    const auto count = std::count(names.begin(), names.end(), wanted);
    if (count == 0)
      throw InvalidArgument(
          {path, "select", "must be markers of the file", "'" + wanted + "'", suggestion(wanted, names)});
    if (count > 1)
      throw InvalidArgument({path, "select", "must match exactly one marker",
                             "'" + wanted + "', which matches " + std::to_string(count),
                             "rename them in the program that made the file"});
    chosen.push_back(std::find(names.begin(), names.end(), wanted) - names.begin());
  }
  return chosen;
}

std::optional<double> find_length_unit(std::string_view name) {
  const auto unit = find_unit(name);
  return unit && unit->quantity == Quantity::Length ? std::optional(unit->factor) : std::nullopt;
}

Capture to_capture(const MarkerFile& file, const CaptureSpec& spec) {
  if (names_columns(spec))
    throw InvalidArgument({file.path, "columns", "must not be given for a file that names its markers", "",
                           "select markers by their names, or read the file with the format table"});
  const std::vector<std::string> names = names_of(file);
  const std::vector<Index> chosen = selected_markers(file.path, names, spec.select);
  if (chosen.empty() || file.positions.empty())
    throw InvalidArgument(
        {file.path, "recording", "must contain markers and frames",
         std::to_string(names.size()) + " markers, " + std::to_string(file.positions.size()) + " frames",
         "export the trial again, with its markers"});
  const sim::Mat3 matrix = unit_of(file, spec) * matrix_of(spec.frame_of_reference, file.path);
  const std::vector<double> time = times_of(file, spec);
  const std::vector<Index> kept = kept_frames(spec.subset, time, file.path);

  Capture capture;
  capture.name = std::filesystem::path(file.path).stem().string();
  for (const Index m : chosen) capture.markers.push_back(names[m]);
  capture.time.resize(kept.size());
  capture.notes = file.notes;
  capture.file_scale = factors_of(matrix);
  bool any_present = false;
  sim::Points before;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const std::size_t f = kept[k];
    if (!std::isfinite(time[f]) || (k > 0 && !(time[f] > capture.time[static_cast<Index>(k) - 1])))
      throw InvalidArgument({file.path, "frame " + std::to_string(f + 1), "must be later than the frame before",
                             std::to_string(time[f]) + " s", "export the trial again, or omit the frame"});
    capture.time[k] = time[f];
    capture.frame_numbers.push_back(file.frames.empty() ? kept[k] : std::llround(file.frames[f]));
    sim::Points raw = file.positions[f](Eigen::all, chosen);
    for (Index m = 0; m < raw.cols(); ++m) mask_numbers(spec.missing.numbers, file.recorded, m, raw);
    sim::Points x = to_meters(matrix, raw);
    const bool mask_repeated = spec.missing.repeated == RepeatedSamples::Mask && k > 0;
    std::vector<bool> present = seen_markers(raw, file.recorded, mask_repeated ? &before : nullptr);
    for (Index m = 0; m < raw.cols(); ++m) {
      if (!present[m]) x.col(m).setConstant(std::numeric_limits<double>::quiet_NaN());
      any_present |= present[m];
    }
    before = raw;
    capture.positions.push_back(std::move(x));
    capture.present.push_back(std::move(present));
  }
  if (!any_present)
    throw InvalidArgument({file.path, "recording", "must contain at least one sample", "missing samples only",
                           "check the selected markers and the subset"});
  return capture;
}

}  // namespace pithball::datasets
