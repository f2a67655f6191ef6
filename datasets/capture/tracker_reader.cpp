#include "datasets/capture/tracker_reader.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "datasets/capture/column_name.hpp"
#include "datasets/capture/marker_rows.hpp"
#include "datasets/capture/table_clock.hpp"
#include "datasets/text/csv_table.hpp"
#include "datasets/text/foreign_file.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::datasets {
namespace {

using Line = std::vector<std::string_view>;

/// Cells without empty ones at the end, which a trailing separator creates.
Line cells_of(std::string_view line, char separator) {
  Line cells = separator == ' ' ? split_words(line) : split_cells(line, separator);
  while (cells.size() > 1 && cells.back().empty()) cells.pop_back();
  return cells;
}

/// The columns of one mass.
struct MassColumns {
  std::optional<std::size_t> t, x, y;
};

/// Finds the masses in a header: each x begins one, and the last t before it is its time.
std::vector<MassColumns> find_masses(const Line& header) {
  std::vector<MassColumns> masses;
  std::optional<std::size_t> t;
  for (std::size_t k = 0; k < header.size(); ++k) {
    const ColumnName name = parse_column_name(header[k].substr(0, header[k].find("_{")));
    if (!name.point.empty() || !name.unit.empty() || name.axis_is_loose) continue;
    if (name.quantity == Quantity::Time) t = k;
    if (name.quantity != Quantity::Length || name.names_quantity) continue;
    if (name.axis == 0) masses.push_back({t, k, {}});
    if (name.axis == 1 && !masses.empty() && !masses.back().y) masses.back().y = k;
  }
  return masses;
}

/// Whether a line names t, x and y of one mass or more.
bool is_mass_header(std::string_view line) {
  const auto masses = find_masses(cells_of(line, find_separator(line)));
  return !masses.empty() && std::ranges::all_of(masses, [](const MassColumns& mass) { return mass.t && mass.y; });
}

Line names_in(std::string_view line, char separator) {
  if (separator == ' ' || line.find(separator) == std::string_view::npos) return {trim(line)};
  Line names = split_cells(line, separator);
  std::erase_if(names, [](std::string_view name) { return name.empty(); });
  return names;
}

/// Reads the blocks of a file one after the other.
class TrackerBlocks {
 public:
  TrackerBlocks(const std::vector<std::string_view>& lines, const std::string& path, double rate)
      : lines_(lines), path_(path), rate_(rate) {
    skip_blank_lines();
    if (next_ + 1 < lines.size()) separator_ = find_separator(lines[next_ + 1]);
    for (const std::string_view line : lines)
      for (const std::string_view cell : cells_of(line, separator_)) decimal_sign_.see(cell);
    while (next_ < lines.size()) read_block();
  }

  const std::vector<std::string>& names() const { return names_; }
  /// Positions by index of the mass, for each time [s] or, with a rate, for each frame.
  const std::map<double, std::map<std::size_t, sim::Vec3>>& samples() const { return samples_; }

 private:
  void skip_blank_lines() {
    while (next_ < lines_.size() && trim(lines_[next_]).empty()) ++next_;
  }
  bool at_block() const { return next_ + 1 < lines_.size() && is_mass_header(lines_[next_ + 1]); }

  void read_block() {
    if (!at_block())
      throw InvalidArgument({place(path_, next_), "Tracker table",
                             "must begin with the names of point masses, and a line with t, x and y below them",
                             "something else", "export the table again, with these columns"});
    const Line names = names_in(lines_[next_], separator_), header = cells_of(lines_[next_ + 1], separator_);
    const std::vector<MassColumns> masses = find_masses(header);
    if (names.size() != masses.size())
      throw InvalidArgument({place(path_, next_), "names", "must be one for each x and y below them",
                             std::to_string(names.size()) + " names for " + std::to_string(masses.size()),
                             "give each point mass a name in the first line"});
    const std::size_t first = names_.size();
    for (const std::string_view name : names) names_.emplace_back(name);
    for (next_ += 2; next_ < lines_.size() && !trim(lines_[next_]).empty() && !at_block(); ++next_)
      read_row(header.size(), masses, first);
    skip_blank_lines();
  }

  void read_row(std::size_t width, const std::vector<MassColumns>& masses, std::size_t first) {
    const std::string_view line = lines_[next_];
    const Line cells = cells_of(line, separator_);
    const std::size_t count = separator_ == ' ' ? cells.size() : split_cells(line, separator_).size();
    const bool is_short = separator_ != '\t' && count < width;  // spreadsheets omit trailing empty cells after tabs
    if (cells.size() > width || is_short)
      throw InvalidArgument({place(path_, next_), "row", "must have " + std::to_string(width) + " cells",
                             std::to_string(is_short ? count : cells.size()),
                             "complete or remove the line; leave the cell of a missing sample empty"});
    for (std::size_t m = 0; m < masses.size(); ++m) {
      const MassColumns& mass = masses[m];
      const sim::Vec3 point(number(cells, *mass.x), number(cells, *mass.y), NAN);
      const double written = number(cells, *mass.t);
      const double t = std::isnan(written) ? NAN : clock_of(first + m, written, last_digit(cells[*mass.t]));
      if (std::isnan(point[0]) || std::isnan(point[1])) {
        if (!std::isnan(t)) samples_[t];  // a frame in which the mass was lost
        continue;
      }
      if (std::isnan(t))
        throw InvalidArgument(
            {place(path_, next_), "t", "must not be missing", "an empty cell", "correct the cell or remove the row"});
      if (!samples_[t].try_emplace(first + m, point).second)
        throw InvalidArgument({place(path_, next_), "t", "must be another in each row of '" + names_[first + m] + "'",
                               "'" + std::string(cells[*mass.t]) + "' twice",
                               "remove the repeated row or, if times are rounded, give rate: frames per second"});
    }
  }

  /// Returns the time of a row [s] or, with a rate, its frame.
  double clock_of(std::size_t mass, double time, double step) {
    if (rate_ == 0) return time;
    if (!start_) start_ = time;
    const auto [counter, is_new] = counters_.try_emplace(mass, rate_);
    if (is_new && time != *start_) counter->second.count(*start_, step);  // frames of all masses begin together
    const auto frame = counter->second.count(time, step);
    if (!frame)
      throw InvalidArgument({place(path_, next_), "rate", "must agree with the times",
                             formatted("%g 1/s, and a time of %g s", rate_, time), "omit `rate` to use the times"});
    return *frame;
  }

  double number(const Line& cells, std::size_t column) const {
    const std::string_view cell = column < cells.size() ? cells[column] : std::string_view();
    if (const auto value = decimal_sign_.read(cell); value && std::isfinite(*value)) return *value;
    const std::string where = place(path_, next_) + " cell " + std::to_string(column + 1);
    decimal_sign_.check(cell, where);
    return cell_number(cell, where);
  }

  const std::vector<std::string_view>& lines_;
  const std::string& path_;
  double rate_ = 0;                               ///< frames per second; 0: times are used
  std::optional<double> start_;                   ///< time of the first row [s]
  std::map<std::size_t, FrameCounter> counters_;  ///< by mass
  std::size_t next_ = 0;
  char separator_ = ',';
  DecimalSign decimal_sign_;
  std::vector<std::string> names_;
  std::map<double, std::map<std::size_t, sim::Vec3>> samples_;
};

}  // namespace

bool is_tracker(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const auto lines = split_lines(head);
  const auto named = std::ranges::find_if(lines, [](std::string_view line) { return !trim(line).empty(); });
  return named != lines.end() && named + 1 != lines.end() && !named->starts_with('#') && !is_mass_header(*named) &&
         is_mass_header(*(named + 1));
}

MarkerFile read_tracker(const CaptureSpec& spec) {
  const std::string& path = spec.file;
  const std::string text = with_utf8(read_plain_text(path, FileUse::Recording));
  const auto lines = split_lines(text);
  const TrackerBlocks blocks(lines, path, spec.rate);
  check_samples(blocks.samples().size(), blocks.names().size(), path);
  MarkerFile file;
  file.path = path;
  file.markers = blocks.names();
  file.unit = 1;
  file.recorded[2] = false;
  for (const auto& [time, points] : blocks.samples()) {
    (spec.rate > 0 ? file.frames : file.time).push_back(time);
    auto& x = file.positions.emplace_back(sim::Points::Constant(3, static_cast<Index>(file.markers.size()), NAN));
    for (const auto& [mass, point] : points) x.col(static_cast<Index>(mass)) = point;
  }
  if (!are_most(file.frames, 1))
    throw InvalidArgument({path, "rate", "must agree with the times",
                           formatted("%g 1/s, and times %g s apart", spec.rate, median_step(file.frames) / spec.rate),
                           "omit `rate` to use the times"});
  return file;
}

}  // namespace pithball::datasets
