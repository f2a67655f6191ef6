#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "app/commands/command.hpp"
#include "app/commands/mesh_description.hpp"
#include "app/spec/track_doubts.hpp"
#include "app/yaml/quantity.hpp"
#include "datasets/capture/capture_difference.hpp"
#include "datasets/capture/capture_format.hpp"
#include "datasets/capture/frame_rate.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

struct ShowOptions {
  std::string file, format, scale, against;
  double rate = 0;
};

datasets::CaptureSpec make_spec(const std::string& file, const std::string& format, const ShowOptions& wanted) {
  datasets::CaptureSpec spec;
  spec.file = file;
  spec.rate = wanted.rate;
  if (!wanted.scale.empty()) {
    const Quantity scale = read_quantity(wanted.scale, "m");
    if (!scale.problem.empty())
      throw InvalidArgument({"data show", "--scale", "must be a length", scale.problem, "write '1 mm'"});
    spec.frame_of_reference.scale = scale.value;
  }
  spec.format = datasets::find_capture_format(file, format).name;
  return spec;
}

ordered_json to_json(const std::string& file, const datasets::CaptureDifference& difference) {
  return {{"file", file},
          {"samples", difference.samples},
          {"missing_in_both", difference.missing_in_both},
          {"missing_in_one", difference.missing_in_one},
          {"largest_difference", difference.largest},
          {"marker", difference.marker.empty() ? ordered_json() : ordered_json(difference.marker)},
          {"time", difference.marker.empty() ? ordered_json() : ordered_json(difference.time)},
          {"largest_time_difference", difference.largest_time_difference}};
}

std::string to_text(const std::string& file, const datasets::CaptureDifference& difference) {
  std::string text = fmt::format("against {}: {} samples in both, {} missing in both, {} in one; ", file,
                                 difference.samples, difference.missing_in_both, difference.missing_in_one);
  if (difference.largest_time_difference > 0)
    text += fmt::format("times differ by up to {:.3g} s; ", difference.largest_time_difference);
  if (difference.marker.empty()) return text + "all samples are equal\n";
  return text + fmt::format("the largest difference is {:.3g} m (marker '{}' at {:g} s)\n", difference.largest,
                            difference.marker, difference.time);
}

/// "50 frames per second"; empty: there is one frame.
std::string say_rate(const datasets::FrameRate& found) {
  if (found.rate == 0) return "";
  return fmt::format(", {}{:.6g} frames per second{}", found.even ? "" : "about ", found.rate,
                     found.even ? "" : " at uneven intervals");
}

/// Where a recording's samples are, and which are missing.
struct Contents {
  std::vector<std::size_t> missing;  ///< by marker
  std::size_t all_missing = 0;
  Eigen::Vector3d low = Eigen::Vector3d::Constant(INFINITY), high = -low;  ///< of a coordinate that nothing has: ±∞

  explicit Contents(const datasets::Capture& capture) : missing(capture.markers.size(), 0) {
    for (std::size_t f = 0; f < capture.positions.size(); ++f)
      for (std::size_t m = 0; m < capture.markers.size(); ++m)
        if (capture.present[f][m]) {
          for (Index a = 0; a < 3; ++a) {  // the least of a number and NaN is the number
            low[a] = std::fmin(low[a], capture.positions[f](a, static_cast<Index>(m)));
            high[a] = std::fmax(high[a], capture.positions[f](a, static_cast<Index>(m)));
          }
        } else {
          ++missing[m];
          ++all_missing;
        }
  }

  std::string say_ranges() const {
    std::string text;
    for (Index a = 0; a < 3; ++a) {
      text += fmt::format("{}{} ", a == 0 ? "  " : ", ", "xyz"[a]);
      text += low[a] <= high[a] ? fmt::format("{:.6g} … {:.6g} m", low[a], high[a]) : "not recorded";
    }
    return text + "\n";
  }
};

int show_mesh(const std::string& file, const CommonOptions& options) {
  const MeshDescription description = describe_mesh_file(file);
  print_result(options, description.json, description.text);
  return Done;
}

int show_capture(const ShowOptions& wanted, const CommonOptions& options) {
  const datasets::CaptureSpec spec = make_spec(wanted.file, wanted.format, wanted);
  const datasets::Capture capture = datasets::read_capture(spec);
  const Contents contents(capture);
  const datasets::FrameRate found = datasets::find_frame_rate(capture.time);
  const double first = capture.time[0], last = capture.time[capture.frames() - 1];
  std::string text =
      fmt::format("{}: {}\n  {} frames from {:g} s to {:g} s{}, {} markers, {} of {} samples missing\n", wanted.file,
                  spec.format, capture.frames(), first, last, say_rate(found), capture.markers.size(),
                  contents.all_missing, capture.frames() * capture.markers.size()) +
      contents.say_ranges();
  ordered_json markers = ordered_json::array();
  for (std::size_t m = 0; m < capture.markers.size(); ++m) {
    const std::size_t missing = contents.missing[m];
    markers.push_back({{"name", capture.markers[m]}, {"missing", missing}});
    text +=
        fmt::format("  {:>4} {}{}\n", m, capture.markers[m], missing > 0 ? fmt::format(" ({} missing)", missing) : "");
  }
  const std::vector<std::string> notes = find_track_doubts(capture);
  for (const std::string& note : notes) text += fmt::format("  note: {}\n", note);
  ordered_json result{{"file", wanted.file},
                      {"format", spec.format},
                      {"frames", capture.frames()},
                      {"first_time", first},
                      {"last_time", last},
                      {"rate", found.rate > 0 ? ordered_json(found.rate) : ordered_json()},
                      {"missing", contents.all_missing},
                      {"markers", markers},
                      {"notes", notes}};
  if (!wanted.against.empty()) {
    const datasets::Capture other = datasets::read_capture(make_spec(wanted.against, "", wanted));
    const datasets::CaptureDifference difference = datasets::compare_captures(capture, other);
    result["against"] = to_json(wanted.against, difference);
    text += to_text(wanted.against, difference);
  }
  print_result(options, result, text);
  return Done;
}

}  // namespace

Action declare_data_show(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto wanted = std::make_shared<ShowOptions>();
  parser.add_option("FILE", wanted->file, "A recording or a mesh, in a format of `pithball list formats`")->required();
  parser.add_option("--format", wanted->format, "Override the detected format");
  parser.add_option("--rate", wanted->rate, "Frames per second, if the file does not specify times")
      ->check(number_within(1e-9, 1e12));
  parser.add_option("--scale", wanted->scale,
                    "Length of one unit of the file, if the file does not specify it: '1 mm'");
  parser.add_option("--against", wanted->against,
                    "Another recording of the same trial, in any format; the differences are printed");
  add_printing(parser, *options);
  parser.footer(
      help_footer("  pithball data show walk.c3d\n  pithball data show walk.c3d --against walk.csv\n  pithball data "
                  "show tracks.npy --rate 100"));
  return [=] {
    return wanted->format.empty() && is_mesh_file(wanted->file) ? show_mesh(wanted->file, *options)
                                                                : show_capture(*wanted, *options);
  };
}

}  // namespace pithball::app
