#include "datasets/capture/table_clock.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "datasets/capture/capture_spec.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::datasets {
namespace {

bool same_value(std::string_view cell, std::string_view value) {
  const auto a = parse_number(cell), b = parse_number(trim(value));
  return a && b ? *a == *b : cell == trim(value);
}

}  // namespace

Source find_source(const CsvTable& table, const std::string& word, const std::string& what) {
  if (trim(word) == "none" && !table.has_column(word)) return {{}, std::numeric_limits<double>::quiet_NaN()};
  const auto constant = parse_number(word);
  if (constant && std::isfinite(*constant) && !table.has_column(word)) return {{}, *constant};
  return {table.find_column(word, what), 0};
}

std::array<bool, 3> constant_axes(const std::array<Source, 3>& coordinates, const sim::Mat3& matrix) {
  std::array<bool, 3> constant{};
  for (std::size_t a = 0; a < 3; ++a) {
    const Source& source = coordinates[axis_of(matrix, static_cast<Index>(a))];
    constant[a] = !source.column && source.recorded();
  }
  return constant;
}

std::vector<Index> find_rows(const CsvTable& table, const RowSpec& spec, bool time_is_counted) {
  std::vector<std::pair<Index, std::string>> conditions;
  for (const auto& [column, value] : spec.segment) conditions.emplace_back(table.find_column(column, "rows"), value);
  std::vector<Index> rows;
  for (Index row = 0; row < table.rows(); ++row) {
    const bool belongs = std::all_of(conditions.begin(), conditions.end(), [&](const auto& condition) {
      return same_value(table.cell(row, condition.first).text, condition.second);
    });
    if (!belongs) continue;
    if (time_is_counted && !rows.empty() && rows.back() != row - 1)
      throw InvalidArgument(
          {table.where(row), "rows", "must be one contiguous run of rows when time is computed from the rate",
           "a second run of rows", "name a time or frame column, or select the rows by another column"});
    rows.push_back(row);
  }
  if (!rows.empty()) return rows;
  std::string known;
  std::set<std::string_view> seen;
  for (Index row = 0; row < table.rows() && seen.size() < 20; ++row)
    if (seen.insert(table.cell(row, conditions[0].first).text).second)
      known.append(known.empty() ? "" : ", ").append(table.cell(row, conditions[0].first).text);
  throw InvalidArgument({table.path(), "rows." + spec.segment.begin()->first,
                         "must select rows; this column holds " + known, "'" + spec.segment.begin()->second + "'",
                         "choose one of these values"});
}

double present_number(const CsvTable& table, Index row, Index column, const char* what) {
  const double value = table.number(row, column);
  if (std::isnan(value))
    throw InvalidArgument(
        {table.where(row, column), what, "must not be missing", "an empty cell", "correct the cell or remove the row"});
  return value;
}

double frame_number(const CsvTable& table, Index row, Index column) {
  const double frame = present_number(table, row, column, "frame");
  constexpr double most = 9007199254740992;  // 2⁵³: above it, doubles skip whole numbers
  if (frame != std::floor(frame) || std::abs(frame) > most)
    throw InvalidArgument({table.where(row, column), "frame", "must be a whole number",
                           std::string(table.cell(row, column).text), "name a column of frame numbers, or use 'time'"});
  return frame;
}

namespace {

constexpr double most_jitter = 0.25;  // of a frame interval: with more, the nearest frame is ambiguous

bool is_none(const std::string& name, const CsvTable& table) { return name == "none" && !table.has_column(name); }

bool increase(const std::vector<double>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
}

}  // namespace

double median_step(const std::vector<double>& values) {
  std::vector<double> steps;
  for (std::size_t k = 1; k < values.size(); ++k) steps.push_back(values[k] - values[k - 1]);
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>((steps.size() - 1) / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

bool are_most(const std::vector<double>& values, double step) {
  if (values.size() < 2) return true;
  const double all = (values.back() - values.front()) / step;
  return median_step(values) < 1.5 * step && 2 * static_cast<double>(values.size() - 1) >= all;
}

double last_digit(std::string_view number) {
  const std::size_t end = std::min(number.find_first_of("eE"), number.size());
  const auto power = end < number.size()
                         ? parse_integer(number.substr(end + 1 + (number.substr(end + 1).starts_with('+') ? 1 : 0)))
                         : std::optional<Index>(0);
  const std::size_t sign = number.substr(0, end).find_first_of(".,");
  const double behind = sign == std::string_view::npos ? 0 : static_cast<double>(end - sign - 1);
  return std::pow(10.0, static_cast<double>(power.value_or(0)) - behind);
}

std::optional<double> FrameCounter::count(double time, double step) {
  const double at = time * rate_, slack = most_jitter + step * rate_;
  if (!frame_) {
    first_ = at;
    frame_ = 0;
    return frame_;
  }
  const double next = *frame_ + 1, nearest = std::round(at - first_);
  if (std::abs(at - first_ - next) <= slack)
    frame_ = next;
  else if (nearest > next && std::abs(at - first_ - nearest) <= slack)
    frame_ = nearest;
  else
    return {};
  return frame_;
}

TableClock::TableClock(const CsvTable& table, const TableColumns& columns, const CaptureSpec& spec)
    : table_(table), columns_(columns), rate_(spec.rate), first_is_least_(spec.rows.order == RowOrder::Time) {
  const ColumnSpec& named = spec.columns;
  const bool without_time = is_none(named.time, table), without_frame = is_none(named.frame, table);
  const bool names_time = !named.time.empty() && !without_time, names_frame = !named.frame.empty() && !without_frame;
  if (!std::isfinite(rate_) || rate_ < 0)
    throw InvalidArgument({table.path(), "rate", "must be > 0 1/s", to_text(rate_), "give frames per second"});
  if (rate_ > 0 && names_time)
    throw InvalidArgument({table.path(), "time", "must not be given together with rate", "both", "remove one of them"});
  if (rate_ == 0 && names_frame)
    throw InvalidArgument({table.path(), "frame", "needs a rate", "none", "add rate: frames per second"});
  if (named.time_scale && (!std::isfinite(*named.time_scale) || *named.time_scale <= 0))
    throw InvalidArgument({table.path(), "time_scale", "must be finite and > 0", std::to_string(*named.time_scale),
                           "give seconds per unit of the time column"});
  std::optional<Index> time = without_time ? std::nullopt : columns.only(Quantity::Time);
  std::optional<Index> frame = without_frame ? std::nullopt : columns.only(Quantity::Frame);
  if (names_time) time = table.find_column(named.time, "time");
  if (names_frame) frame = table.find_column(named.frame, "frame");
  if (time && !columns[*time].unit.empty() && find_unit(columns[*time].unit)->quantity == Quantity::Frame) {
    if (!frame) frame = time;  // "t [frames]"
    time.reset();
  }
  if (time) {
    const ColumnName& name = columns[*time];
    if (!name.unclear.empty())
      throw InvalidArgument({table.header_place(), "column '" + table.names()[*time] + "'", "must have a unit of time",
                             "'" + name.unclear + "'", "rename the column"});
    if (named.time_scale && !name.unit.empty() && std::abs(*named.time_scale / name.factor - 1) > 1e-12)
      throw InvalidArgument({table.header_place(), "time_scale", "must be the unit of the column's name",
                             to_text(*named.time_scale) + " s, and '" + table.names()[*time] + "'",
                             "omit `time_scale`, or rename the column"});
    seconds_ = named.time_scale.value_or(name.factor);
  }
  if (rate_ > 0 && frame) {
    frame_ = frame;
    other_ = time;
  } else if (rate_ > 0 || time) {
    time_ = time;
    other_ = frame;
  } else {
    const bool several = !without_time && columns.of(Quantity::Time).size() > 1;
    throw InvalidArgument({table.path(), "time", "must be known",
                           several ? "several columns of times"
                           : frame ? "frame numbers without a rate"
                                   : "neither a time column nor a rate",
                           several ? "name one, columns: {time: NAME}"
                           : frame ? "give rate: frames per second, as in `rate: 50` (data show: `--rate 50`)"
                                   : "name the column, columns: {time: NAME}, or give rate: frames per second"});
  }
}

/// The number in the column, cached because it is needed several times.
double TableClock::number(Index row) const {
  if (numbers_.empty()) numbers_.assign(static_cast<std::size_t>(table_.rows()), NAN);
  double& known = numbers_[row];
  if (std::isnan(known))
    known = frame_ ? frame_number(table_, row, *frame_) : present_number(table_, row, *time_, "time");
  return known;
}

double TableClock::time_of(Index row) const { return seconds_ * number(row); }

double TableClock::reading(Index row) const {
  if (frame_) return number(row);
  const double time = time_of(row);
  if (rate_ == 0) return time;
  const double at = (time - time_of(0)) * rate_, frame = std::round(at);
  if (std::abs(at - frame) > most_jitter + written_step(row) * rate_) reject_rate(row);
  return frame;
}

void TableClock::reject_rate(Index row) const {
  const std::string& name = table_.names()[*time_];
  const double after = row > 0 ? time_of(row) - time_of(row - 1) : 0;
  throw InvalidArgument({table_.where(row), "rate", "must agree with the column '" + name + "'",
                         formatted("%g 1/s, and a time that is %g s after the one before", rate_, after),
                         "omit `rate` to use the times; to count rows, write columns: {time: none}"});
}

bool TableClock::is_empty(Index row) const {
  if (is_counted() || (!numbers_.empty() && !std::isnan(numbers_[row]))) return false;
  const std::string_view cell = table_.cell(row, column()).text;
  return cell.empty() || std::isnan(table_.number(row, column()));
}

std::vector<double> TableClock::counted_frames(const std::vector<Index>& rows) const {
  std::vector<double> frames;
  FrameCounter counter(rate_);
  for (const Index row : rows) {
    const auto frame = counter.count(time_of(row), written_step(row));
    if (!frame) reject_rate(row);
    frames.push_back(*frame);
  }
  return frames;
}

std::vector<double> TableClock::times_of(const std::vector<Index>& rows) const {
  std::vector<double> time;
  time.reserve(rows.size());
  if (time_ && rate_ > 0 && !first_is_least_) {
    time = counted_frames(rows);
  } else {
    for (std::size_t k = 0; k < rows.size(); ++k)
      time.push_back(is_counted() ? static_cast<double>(k) : reading(rows[k]));
  }
  if (rate_ == 0) return time;
  const double first = first_is_least_ ? *std::ranges::min_element(time) : time.front();
  for (double& t : time) t = (t - first) / rate_;
  return time;
}

double TableClock::written_step(Index row) const { return seconds_ * last_digit(table_.cell(row, *time_).text); }

void TableClock::check(const std::vector<Index>& rows) const {
  if (rows.size() < 3) return;
  if (time_ && rate_ > 0 && !are_most(times_of(rows), 1 / rate_)) reject_rate(rows[1]);
  if (!other_) return;
  std::vector<double> others;
  const double unit = frame_ ? seconds_ : 1;
  for (const Index row : rows) {
    others.push_back(unit * table_.number(row, *other_));
    if (std::isnan(others.back())) return;
  }
  const std::vector<double> readings = times_of(rows);
  if (!increase(readings) || !increase(others)) return;
  const std::vector<double>&times = frame_ ? others : readings, &frames = frame_ ? readings : others;
  const double usual = median_step(frames), interval = median_step(times) / usual;
  const std::string& name = table_.names()[*other_];
  // With a rate, frames are in seconds here.
  if (frame_ && std::abs(interval - 1) > most_jitter)
    throw InvalidArgument({table_.header_place(), "rate", "must agree with the column '" + name + "'",
                           formatted("%g 1/s, and times that are %g s apart", rate_, median_step(times)),
                           "omit `rate` to use the times; to use the rate, write columns: {time: none}"});
  std::size_t gaps = 0, contradicting = 0;
  for (std::size_t k = 1; k < rows.size(); ++k) {
    const double skipped = frames[k] - frames[k - 1];
    if (skipped < 1.5 * usual) continue;
    ++gaps;
    contradicting += times[k] - times[k - 1] < 0.75 * interval * skipped ? 1 : 0;
  }
  if (2 * contradicting <= gaps) return;
  throw InvalidArgument(
      {table_.header_place(), "time", "must agree with the frame numbers",
       std::to_string(gaps) + " gaps in the frame numbers, where the times go on evenly",
       frame_
           ? "to use the frames alone, write columns: {time: none}"
           : formatted("to count by frames, write rate: %g; to use the times, columns: {frame: none}", 1 / interval)});
}

std::string TableClock::rounding_note(std::vector<Index> rows) const {
  constexpr std::size_t enough = 1000;
  if (rows.size() > enough) rows.resize(enough);
  if (!time_ || rate_ > 0 || rows.size() < 5) return {};
  const std::vector<double> time = times_of(rows);
  std::vector<double> steps;
  for (const Index row : rows) steps.push_back(written_step(row));
  // Zeros at the end may be left out, as of 1.000 or, at 60 frames a second, of 0.05: the usual step is the resolution.
  std::vector<double> sorted = steps;
  std::ranges::sort(sorted);
  const double finest = sorted.front(), rounding = sorted[sorted.size() / 2];
  for (double& step : steps) step = std::min(step, rounding);
  // Times with a fine resolution are either evenly spaced up to rounding, or have real jitter.
  double interval = (time.back() - time.front()) / static_cast<double>(time.size() - 1);
  if (rounding < 1e-3 * interval || !(interval > 0)) return {};
  double worst = 0, low = -INFINITY, high = INFINITY;  // deviation from even spacing; bounds of the offset
  for (std::size_t k = 0; k < time.size(); ++k) {
    const double off = time[k] - time.front() - interval * static_cast<double>(k), half = 0.5 * steps[k];
    low = std::max(low, off - half);
    high = std::min(high, off + half);
    worst = std::max(worst, std::abs(off));
  }
  // The first and last time are rounded, too: the total duration is uncertain by one step.
  if (low > high + rounding || worst < 0.02 * finest) return {};
  return formatted("times are written in steps of %g s, and frames seem to be even: `rate: %.4g`", rounding,
                   1 / interval);
}

}  // namespace pithball::datasets
