#include "datasets/film/detections.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>

#include "datasets/text/csv_table.hpp"
#include "datasets/text/text_scan.hpp"
#include "datasets/text/unit_name.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::datasets {

const double Detection::not_stated = std::numeric_limits<double>::quiet_NaN();

std::size_t Detections::count() const {
  std::size_t sum = 0;
  for (const DetectionFrame& frame : frames) sum += frame.spots.size();
  return sum;
}

namespace {

/// A number as a cell, empty for NaN. `digits`: significant ones.
std::string cell(double value, int digits) { return std::isnan(value) ? "" : formatted("%.*g", digits, value); }

}  // namespace

std::string detections_csv(const Detections& detections) {
  const sim::CLocale plain;
  const std::string &unit = detections.unit, square = unit + "^2";
  std::string text = "frame,time [s],x [" + unit + "],y [" + unit + "],variance_x [" + square + "],covariance_xy [" +
                     square + "],variance_y [" + square + "],size [" + unit + "],brightness,snr\n";
  // Centers to a ten-thousandth of a pixel in pictures of up to 9999: far below their errors.
  constexpr int of_time = 10, of_center = 8, of_error = 5;
  for (const DetectionFrame& frame : detections.frames)
    for (const Detection& spot : frame.spots) {
      text += std::to_string(frame.number);
      for (const auto& [value, digits] :
           std::initializer_list<std::pair<double, int>>{{spot.time, of_time},
                                                         {spot.x, of_center},
                                                         {spot.y, of_center},
                                                         {spot.covariance(0, 0), of_error},
                                                         {spot.covariance(0, 1), of_error},
                                                         {spot.covariance(1, 1), of_error},
                                                         {spot.size, of_error},
                                                         {spot.brightness, of_error},
                                                         {spot.snr, of_error}})
        text += "," + cell(value, digits);
      text += "\n";
    }
  return text;
}

namespace {

/// What a column of detections may hold.
enum class Meaning { Frame, Time, X, Y, VarianceX, Covariance, VarianceY, Deviation, Size, Brightness, Snr };

/// Names of columns, in lower case and without their unit: ours, and those of TrackPy, TrackMate and ThunderSTORM. Of
/// several names for one meaning the first in this list counts.
struct KnownName {
  const char* name;
  Meaning meaning;
};
constexpr KnownName known_names[] = {
    {"frame", Meaning::Frame},
    {"time", Meaning::Time},
    {"position_t", Meaning::Time},
    {"t", Meaning::Time},
    {"x", Meaning::X},
    {"position_x", Meaning::X},
    {"y", Meaning::Y},
    {"position_y", Meaning::Y},
    {"variance_x", Meaning::VarianceX},
    {"covariance_xy", Meaning::Covariance},
    {"variance_y", Meaning::VarianceY},
    {"ep", Meaning::Deviation},
    {"uncertainty", Meaning::Deviation},
    {"uncertainty_xy", Meaning::Deviation},
    {"size", Meaning::Size},
    {"radius", Meaning::Size},
    {"brightness", Meaning::Brightness},
    {"mass", Meaning::Brightness},
    {"total_intensity_ch1", Meaning::Brightness},
    {"intensity", Meaning::Brightness},
    {"snr", Meaning::Snr},
    {"snr_ch1", Meaning::Snr},
};

/// A column's name in lower case, and the unit in brackets behind it.
std::pair<std::string, std::string> name_and_unit(std::string_view header) {
  std::string unit;
  if (const std::size_t open = header.find_first_of("[("); open != std::string_view::npos) {
    const std::size_t close = header.find_first_of("])", open);
    unit = trim(header.substr(open + 1, close == std::string_view::npos ? close : close - open - 1));
    header = header.substr(0, open);
  }
  std::string name(trim(header));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return {name, unit};
}

/// Whether a cell is a word, and neither a number, however it is written, nor a missing one.
bool is_name(std::string_view cell) {
  const bool has_digit = std::ranges::any_of(cell, [](unsigned char c) { return std::isdigit(c) != 0; });
  return !cell.empty() && cell != "NA" && !has_digit && !parse_number(cell);
}

/// The columns of a table of detections.
class DetectionColumns {
 public:
  explicit DetectionColumns(const CsvTable& table) : table_(table) {
    std::map<std::string, Index> column_of;
    std::map<Index, std::string> units;
    for (Index k = 0; k < table.columns(); ++k) {
      const auto [name, unit] = name_and_unit(table.names()[k]);
      column_of.emplace(name, k);
      units[k] = unit.empty() && !table.units().empty() ? table.units()[k] : unit;
    }
    for (const KnownName& known : known_names)
      if (const auto found = column_of.find(known.name); found != column_of.end())
        columns_.emplace(known.meaning, found->second);
    for (const auto& [meaning, name] : {std::pair{Meaning::X, "x"}, std::pair{Meaning::Y, "y"}})
      if (!columns_.count(meaning))
        throw InvalidArgument({table.header_place(), name, "must be a column of the detections", joined(table.names()),
                               "name the column so"});
    skip_names(units);
    unit_ = units.at(columns_.at(Meaning::X));
    if (columns_.count(Meaning::Time)) take_unit_of_time(units.at(columns_.at(Meaning::Time)));
  }

  bool has(Meaning meaning) const { return columns_.count(meaning) > 0; }
  double number(Index row, Meaning meaning) const {
    const auto found = columns_.find(meaning);
    return found == columns_.end() ? Detection::not_stated : table_.number(row, found->second);
  }
  double time(Index row) const { return second_ * number(row, Meaning::Time); }
  Index first_row() const { return first_row_; }
  /// Of lengths; "px" where the table does not say.
  std::string unit() const { return unit_.empty() || unit_ == "pixel" || unit_ == "pixels" ? "px" : unit_; }

 private:
  /// TrackMate has up to three more lines of names; the last may hold units.
  void skip_names(std::map<Index, std::string>& units) {
    constexpr Index most = 3;
    const Index x = columns_.at(Meaning::X);
    for (; first_row_ < std::min(most, table_.rows()) && is_name(table_.cell(first_row_, x).text); ++first_row_)
      for (auto& [column, unit] : units) {
        const std::string here = name_and_unit(table_.cell(first_row_, column).text).second;
        if (!here.empty()) unit = here;
      }
    if (first_row_ == table_.rows())
      throw InvalidArgument({table_.path(), "table", "must have rows of data", "names only", "export the spots again"});
  }

  void take_unit_of_time(const std::string& name) {
    if (name.empty()) return;
    const auto unit = find_unit(name);
    if (unit && unit->quantity == Quantity::Frame && columns_.count(Meaning::Frame)) {
      columns_.erase(Meaning::Time);  // of a film without a clock: the frames once more
      return;
    }
    if (!unit || unit->quantity != Quantity::Time)
      throw InvalidArgument({table_.header_place(), "time", "must be in a unit of time", "'" + name + "'",
                             "write s, ms or another one in the column's name"});
    second_ = unit->factor;
  }

  const CsvTable& table_;
  std::map<Meaning, Index> columns_;
  Index first_row_ = 0;
  std::string unit_;
  double second_ = 1;  // seconds in the unit of times
};

Detection detection_of(const DetectionColumns& columns, Index row) {
  Detection spot;
  spot.time = columns.time(row);
  spot.x = columns.number(row, Meaning::X);
  spot.y = columns.number(row, Meaning::Y);
  if (columns.has(Meaning::VarianceX) && columns.has(Meaning::VarianceY)) {
    const double mixed = columns.has(Meaning::Covariance) ? columns.number(row, Meaning::Covariance) : 0;
    spot.covariance << columns.number(row, Meaning::VarianceX), mixed, mixed, columns.number(row, Meaning::VarianceY);
  } else if (columns.has(Meaning::Deviation)) {
    const double deviation = columns.number(row, Meaning::Deviation);
    spot.covariance = Eigen::Vector2d::Constant(deviation * deviation).asDiagonal();
  }
  spot.size = columns.number(row, Meaning::Size);
  spot.brightness = columns.number(row, Meaning::Brightness);
  spot.snr = columns.number(row, Meaning::Snr);
  return spot;
}

/// Numbers of frames from the times where the table has none: equal times are one frame.
void number_by_time(Detections& detections) {
  std::map<double, std::vector<Detection>> by_time;
  for (const DetectionFrame& frame : detections.frames)
    for (const Detection& spot : frame.spots) by_time[spot.time].push_back(spot);
  detections.frames.clear();
  for (auto& [time, spots] : by_time) {
    const auto number = static_cast<Index>(detections.frames.size());
    detections.frames.push_back({number, std::move(spots)});
  }
}

}  // namespace

bool is_detections(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  while (head.starts_with('#') && head.find('\n') != std::string_view::npos) head.remove_prefix(head.find('\n') + 1);
  const std::string_view line = head.substr(0, head.find('\n'));
  const char separator = find_separator(line);
  std::map<std::string, int> names;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    ++names[name_and_unit(line.substr(begin, end - begin)).first];
    begin = end + 1;
  }
  return names["frame"] == 1 && names["x"] == 1 && names["y"] == 1 && names["variance_x"] == 1;
}

Detections read_detections(const std::string& path, std::optional<double> rate) {
  constexpr double largest_frame = 9'007'199'254'740'992.0;  // 2⁵³: whole numbers are exact up to there
  const CsvTable table(path, 1, 0);
  const DetectionColumns columns(table);
  const bool has_frames = columns.has(Meaning::Frame), has_times = columns.has(Meaning::Time);
  if (!has_frames && !has_times)
    throw InvalidArgument({table.header_place(), "frame", "must be a column of the detections, or time",
                           joined(table.names()), "name the column so"});
  if (!has_times && !(rate && *rate > 0))
    throw InvalidArgument(
        {path, "rate", "must be known where the table has no times", "none", "give the frames per second"});
  std::map<Index, DetectionFrame> frames;
  for (Index row = columns.first_row(); row < table.rows(); ++row) {
    Detection spot = detection_of(columns, row);
    const double number = has_frames ? columns.number(row, Meaning::Frame) : 0;
    if (!std::isfinite(number) || number != std::floor(number) || number < 0)
      throw InvalidArgument({table.where(row), "frame", "must be a whole number >= 0", to_text(number), "correct it"});
    if (number > largest_frame)
      throw InvalidArgument({table.where(row), "frame", "must be at most 2^53", to_text(number), "correct it"});
    if (!has_times) spot.time = number / *rate;
    if (std::isnan(spot.x) || std::isnan(spot.y) || std::isnan(spot.time))
      throw InvalidArgument({table.where(row), "row", "must have x, y and a time", "an empty cell", "remove the row"});
    const auto& C = spot.covariance;
    if (C.allFinite() && !(C(0, 0) > 0 && C(1, 1) > 0 && C(0, 1) * C(0, 1) < C(0, 0) * C(1, 1)))
      throw InvalidArgument({table.where(row), "variances", "must be > 0, and the covariance smaller than their root",
                             "others", "correct the row, or leave it out"});
    const auto at = static_cast<Index>(number);
    DetectionFrame& frame = frames[at];
    frame.number = at;
    frame.spots.push_back(spot);
  }
  Detections detections;
  detections.unit = columns.unit();
  for (auto& [number, frame] : frames) detections.frames.push_back(std::move(frame));
  if (!has_frames) number_by_time(detections);
  for (DetectionFrame& frame : detections.frames) std::ranges::stable_sort(frame.spots, {}, &Detection::y);
  return detections;
}

}  // namespace pithball::datasets
