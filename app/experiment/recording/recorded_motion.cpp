#include "app/experiment/recording/recorded_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/experiment/recording/measurement_spec.hpp"
#include "app/yaml/nearest.hpp"
#include "app/yaml/node.hpp"
#include "app/yaml/quantity.hpp"
#include "datasets/capture/capture_spec.hpp"
#include "optim/observation/track_differences.hpp"
#include "optim/screening/sample_findings.hpp"
#include "optim/uncertainty/robust_errors.hpp"
#include "sim/core/error.hpp"
#include "sim/field/expression_program.hpp"

namespace pithball::app {
namespace {

/// Returns the capture reduced to these frames.
datasets::Capture with_frames(const datasets::Capture& capture, const std::vector<Index>& kept) {
  datasets::Capture result = capture;
  result.time.resize(static_cast<Index>(kept.size()));
  result.positions.clear();
  result.present.clear();
  result.frame_numbers.clear();
  result.spots.variances.clear();
  result.spots.covariances.clear();
  for (std::size_t k = 0; k < kept.size(); ++k) {
    result.time[k] = capture.time[kept[k]];
    result.positions.push_back(capture.positions[kept[k]]);
    result.present.push_back(capture.present[kept[k]]);
    result.frame_numbers.push_back(capture.frame_numbers.empty() ? kept[k] : capture.frame_numbers[kept[k]]);
    if (capture.spots.variances.empty()) continue;
    result.spots.variances.push_back(capture.spots.variances[kept[k]]);
    result.spots.covariances.push_back(capture.spots.covariances[kept[k]]);
  }
  return result;
}

/// Reads the keys of `frames:` that are applied by the file readers.
datasets::FrameSubset read_subset(Node& frames) {
  datasets::FrameSubset subset;
  subset.skip_first = frames.integer("skip_first", "number of frames skipped at the beginning", 0);
  subset.skip_last = frames.integer("skip_last", "number of frames skipped at the end", 0);
  if (const auto from = frames.optional_number("from", "s", "use frames from this recorded time on"))
    subset.from = *from;
  if (const auto to = frames.optional_number("to", "s", "use frames up to this recorded time")) subset.to = *to;
  subset.every = frames.integer("every", "use every n-th frame", 1, 1);
  return subset;
}

std::vector<double> times_of(const datasets::Capture& capture) {
  return {capture.time.data(), capture.time.data() + capture.time.size()};
}

/// Returns the frames recorded at rest.
std::vector<Points> resting_frames(const RestFrames& rest, const datasets::Capture& capture) {
  std::vector<Points> frames;
  for (Index f = 0; f < capture.frames(); ++f)
    if (rest.first > 0  ? f < rest.first
        : rest.last > 0 ? f >= capture.frames() - rest.last
                        : capture.time[f] >= rest.from && capture.time[f] <= rest.to)
      frames.push_back(capture.positions[f]);
  return frames;
}

}  // namespace

Points RestFrames::mean(const datasets::Capture& capture) const {
  Points sum = Points::Zero(3, static_cast<Index>(capture.markers.size()));
  Eigen::Array3Xd count = Eigen::Array3Xd::Zero(3, sum.cols());
  for (const Points& frame : resting_frames(*this, capture)) {
    const auto seen = frame.array().isFinite();
    sum.array() += seen.select(frame.array(), 0);
    count += seen.cast<double>();
  }
  return (count > 0).select(sum.array() / count, NAN);
}

Points RestFrames::error(const datasets::Capture& capture) const {
  const std::vector<Points> frames = resting_frames(*this, capture);
  const Points middle = mean(capture);
  Eigen::Array3Xd squares = Eigen::Array3Xd::Zero(3, middle.cols()), count = squares;
  optim::RowOrder order;
  std::vector<double> deviations;
  using Rows = Eigen::Array<Index, 3, Eigen::Dynamic>;
  Rows before = Rows::Constant(3, middle.cols(), -1);  // row of each component in the previous frame
  for (const Points& frame : frames) {
    Rows here = Rows::Constant(3, middle.cols(), -1);
    const auto first_row = static_cast<Index>(deviations.size());
    for (Index m = 0; m < middle.cols(); ++m)
      for (Index a = 0; a < 3; ++a) {
        const double deviation = frame(a, m) - middle(a, m);
        if (!std::isfinite(deviation)) continue;
        squares(a, m) += deviation * deviation;
        count(a, m) += 1;
        here(a, m) = static_cast<Index>(deviations.size());
        order.previous.push_back(before(a, m));
        deviations.push_back(deviation);
      }
    order.frames.push_back({0, first_row, static_cast<Index>(deviations.size())});
    before = here;
  }
  const double rho =
      frame_autocorrelation(order, Eigen::Map<const sim::Vector>(deviations.data(), order.previous.size()));
  return (count > 1).select((squares / (count - 1) / count * (1 + rho) / (1 - rho)).sqrt(), NAN);
}

std::optional<RestFrames> read_rest_frames(Node& recording) {
  Node node = recording.child("rest_frames",
                              "frames whose mean is the recording's rest: {last: 30}, {first: 30} or {from: 0 s, to: "
                              "0.5 s}; needed by `reference: rest`, `frames.after` and `split.trigger`");
  if (!node.applies(node.tree())) return {};
  RestFrames rest;
  rest.first = node.integer("first", "number of frames at the beginning", 0);
  rest.last = node.integer("last", "number of frames at the end", 0);
  const auto from = node.optional_number("from", "s", "first recorded time, instead of a number of frames");
  const auto to = node.optional_number("to", "s", "last recorded time");
  const int ways = (rest.first > 0) + (rest.last > 0) + (from || to);
  node.require(ways == 1 && from.has_value() == to.has_value() && (!from || *from <= *to), "",
               "must be one of first, last, or from and to", "something else", "write rest_frames: {last: 30}");
  if (from) rest = {0, 0, *from, *to};
  return rest;
}

std::vector<bool> Excursion::frames_beyond(const Node& node, const datasets::Capture& capture,
                                           const Points& rest) const {
  const auto found = std::ranges::find(capture.markers, marker);
  if (found == capture.markers.end())
    node.reject("marker", "must be a marker of the recording", "'" + marker + "'",
                "markers are " + joined(capture.markers));
  const Index m = found - capture.markers.begin();
  std::vector<bool> beyond;
  for (const Points& frame : capture.positions) {
    const sim::Vec3 away = frame.col(m) - rest.col(m);
    beyond.push_back(away.array().isNaN().select(0, away).norm() > distance);  // two-dimensional tracks have NaN
  }
  return beyond;
}

Excursion read_excursion(Node& node, double file_unit) {
  Excursion excursion;
  excursion.marker = node.text("marker", "name of the marker");
  excursion.distance = node.number("farther_than", "m",
                                   "distance from its rest; beside `scale`, a number without a unit is in the unit of "
                                   "the file",
                                   {}, sim::ValueSign::Positive);
  const Tree* written = node.form_tree("farther_than");
  if (written && read_plain_number(written->text)) excursion.distance *= file_unit;
  return excursion;
}

FrameChoice::FrameChoice(Node& recording) {
  Node frames = recording.child("frames", "frames to use");
  subset_ = read_subset(frames);
  Node after = frames.child("after",
                            "use the frames after the last one in which a marker was farther from its rest than a "
                            "distance: {marker: tip, farther_than: 4 mm}; simulated time 0 is the first of them");
  const double file_unit = after.tree() ? read_file_unit(recording, read_measurement_kind(recording)) : 1;
  if (after.applies(after.tree())) after_ = read_excursion(after, file_unit);
  count_ = frames.integer("count", "number of frames to use, counted from the first selected one; 0: all", 0);
  Node part = recording.child("part",
                              "part of the file that is this recording, in recorded time; `rest_frames` and `frames` "
                              "select from it, and simulated time 0 is its first selected frame");
  const auto from = part.optional_number("from", "s", "first recorded time of the part");
  const auto to = part.optional_number("to", "s", "last recorded time of the part");
  constexpr double ever = std::numeric_limits<double>::infinity();
  if (from || to) part_ = Span{from.value_or(-ever), to.value_or(ever)};
  rest_ = read_rest_frames(recording);
  after.require(!after_ || rest_, "", "requires `rest_frames`", "none",
                "write `rest_frames: {last: 30}` in the recording");
}

std::vector<Index> FrameChoice::frames_of(Node& recording, const datasets::Capture& capture, const Points& rest) const {
  std::vector<Index> kept =
      recording.located("frames", [&] { return datasets::kept_frames(subset_, times_of(capture), ""); });
  Node frames = recording.form("frames");
  if (after_) {
    Node after = frames.form("after");
    const std::vector<bool> beyond = after_->frames_beyond(after, capture, rest);
    const Index first = std::ranges::find(beyond.rbegin(), beyond.rend(), true).base() - beyond.begin();
    std::erase_if(kept, [&](Index f) { return f < first; });
    if (kept.empty())
      after.reject("farther_than", "must leave at least one frame", "a marker that is farther away at the end",
                   "increase the distance, or check rest_frames");
  }
  if (static_cast<Index>(kept.size()) < count_)
    frames.reject("count", fmt::format("must be at most the {} frames that there are", kept.size()),
                  fmt::format("{}", count_), "reduce it, or leave this recording out");
  if (count_ > 0) kept.resize(static_cast<std::size_t>(count_));
  return kept;
}

RecordedMotion FrameChoice::choose(Node& recording, datasets::Capture whole) const {
  if (!by_motion()) return {std::move(whole), {}, {}, {}, false};
  if (part_) {
    const std::vector<double> times = times_of(whole);
    datasets::FrameSubset span;
    span.from = part_->from;
    span.to = part_->to;
    whole = with_frames(whole, recording.located("part", [&] { return datasets::kept_frames(span, times, ""); }));
  }
  const Points rest = rest_ ? rest_->mean(whole) : Points(), error = rest_ ? rest_->error(whole) : Points();
  const std::vector<Index> used = frames_of(recording, whole, rest);
  constexpr Index most_before = 25;
  std::vector<Index> before;
  for (Index f = std::max<Index>(0, used.front() - most_before); f < used.front(); ++f) before.push_back(f);
  return {with_frames(whole, used), with_frames(whole, before), rest, error, part_ || after_};
}

namespace {

/// Interpolates linearly; constant outside the range of times.
double interpolate(const std::vector<double>& times, const std::vector<double>& values, double t) {
  const auto next = std::ranges::upper_bound(times, t);
  if (next == times.begin()) return values.front();
  if (next == times.end()) return values.back();
  const auto k = static_cast<std::size_t>(next - times.begin());
  return values[k - 1] + (values[k] - values[k - 1]) * (t - times[k - 1]) / (times[k] - times[k - 1]);
}

std::vector<double> weights_of_table(Node weight, const std::vector<double>& at) {
  const std::vector<double> times = weight.numbers("times", "s", ""), values = weight.numbers("values", "", "");
  if (times.empty() || !std::ranges::is_sorted(times, std::less_equal<>()))
    weight.reject("times", "must be ascending times, at least one", fmt::format("{}", fmt::join(times, ", ")),
                  "write times: [0 s, 1 s]");
  if (values.size() != times.size())
    weight.reject("values", fmt::format("must have one number for each of the {} times", times.size()),
                  fmt::format("{}", values.size()), "give as many as `times`");
  std::vector<double> weights;
  for (const double t : at) weights.push_back(interpolate(times, values, t));
  return weights;
}

std::vector<double> weights_of_expression(Node& node, const std::vector<double>& at) {
  const std::string expression = node.text("weight", "");
  const sim::ExpressionProgram program =
      node.located("weight", [&] { return sim::compile_expression(expression, {"t"}); });
  std::vector<double> weights(at.size());
  const sim::ExpressionVariable time{at.data(), 1};
  program.evaluate<double>({&time, 1}, std::ssize(at), [&](Index k, double w) { weights[k] = w; });
  return weights;
}

}  // namespace

std::vector<double> read_weight(Node& node, const std::vector<double>& at) {
  if (!node.document("weight", "expression in t [s], or {times, values}", "1",
                     "weight of a frame, > 0: its residuals are multiplied by this function of simulated time; "
                     "exp(1.5*t) gives the late, small oscillations of a decaying motion the same influence as the "
                     "early ones"))
    return {};
  std::vector<double> weights =
      node.is_map("weight") ? weights_of_table(node.form("weight"), at) : weights_of_expression(node, at);
  for (std::size_t f = 0; f < at.size(); ++f)
    if (!(weights[f] > 0) || !std::isfinite(weights[f]))
      node.reject("weight", "must be > 0 in every frame", fmt::format("{:g} at t = {:g} s", weights[f], at[f]),
                  "leave out unwanted frames with `frames:`");
  return weights;
}

namespace {

using optim::FindingKind;

std::set<FindingKind> read_accepted(Node& node) {
  std::vector<std::string> names;
  for (const FindingKind kind : optim::finding_kinds) names.emplace_back(optim::to_string(kind));
  std::set<FindingKind> accepted;
  for (const std::string& word : node.optional_texts(
           "accept_findings", "list of names", "none",
           fmt::format("kinds of findings about this recording that are meant as they are, so that they make no fit "
                       "doubtful: {}",
                       fmt::join(names, ", ")))) {
    const auto found = std::ranges::find(names, word);
    if (found == names.end())
      node.reject("accept_findings", fmt::format("must list {}", fmt::join(names, ", ")), "'" + word + "'",
                  suggestion(word, names));
    accepted.insert(optim::finding_kinds[found - names.begin()]);
  }
  return accepted;
}

}  // namespace

bool FindingAnswers::answer(const optim::Finding& finding) const {
  return accepted.contains(finding.kind) || keys.contains(finding.key.substr(0, finding.key.find(':')));
}

FindingAnswers read_finding_answers(Node& node) {
  FindingAnswers answers{read_accepted(node), {}};
  for (const char* key : {"repeated_samples", "filled_samples", "unwrap"})
    if (node.is_written(key)) answers.keys.insert(key);
  if (node.is_scalar("missing")) answers.keys.insert("missing");  // `none`: all numbers are measurements
  return answers;
}

bool read_unwrap(Node& node, const optim::MeasurementKind& kind) {
  const bool wanted =
      node.flag("unwrap",
                "for angles: continue each reading by less than half a turn from the one before; `false`: they turn "
                "as far as they jump",
                false);
  if (wanted && !(kind.period > 0))
    node.reject("unwrap", "must be omitted for `measurement: " + kind.name + "`", "unwrap",
                "its readings have no period");
  return wanted;
}

void unwrap(double period, std::vector<Points>& frames) {
  for (Index m = 0; m < (frames.empty() ? 0 : frames.front().cols()); ++m) {
    std::vector<double> readings;
    for (const Points& frame : frames) readings.push_back(frame(0, m));
    readings = optim::continued(std::move(readings), period);
    for (std::size_t f = 0; f < frames.size(); ++f) frames[f](0, m) = readings[f];
  }
}

void mask_filled_samples(Node& node, optim::Observation& seen) {
  const std::string wanted = node.choice(
      "filled_samples", {"keep", "mask"},
      "stretches that were filled by interpolation: `keep` them as measurements or `mask` them as missing", "keep");
  if (wanted == "keep") return;
  optim::Observation counted = seen;
  counted.frame_numbers.clear();
  for (const optim::Finding& finding : optim::find_in_samples(counted)) {
    if (finding.kind != FindingKind::Fill) continue;
    const auto marker = std::ranges::find(seen.markers, finding.marker, &optim::Marker::name) - seen.markers.begin();
    for (const Index frame : finding.frames) seen.present[frame][marker] = false;
  }
}

}  // namespace pithball::app
