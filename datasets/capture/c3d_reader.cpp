#include "datasets/capture/c3d_reader.hpp"

#include <cmath>
#include <limits>

#include "datasets/capture/c3d_bytes.hpp"
#include "datasets/capture/c3d_parameters.hpp"
#include "datasets/text/foreign_file.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

constexpr std::size_t block = 512;  // bytes

/// How the frames lie in the file.
struct Layout {
  std::size_t points = 0, analog = 0;  ///< markers, and analog samples of a frame
  std::size_t first = 1, frames = 0;   ///< number of the first frame, and how many there are
  std::size_t start = 0;               ///< first byte of the data
  double scale = 1;                    ///< length of one integer in the file's unit
  bool floats = true;                  ///< floats, or integers to be scaled
  std::size_t word_size() const { return floats ? 4 : 2; }
  std::size_t frame_size() const { return (4 * points + analog) * word_size(); }
};

[[noreturn]] void reject_c3d(const std::string& path, const std::string& what, const std::string& required,
                             const std::string& got,
                             const std::string& remedy = "the file is damaged: export the trial again") {
  throw InvalidArgument({path, what, required, got, remedy});
}

C3dProcessor processor_of(const std::string& text, std::size_t section, const std::string& path) {
  const C3dBytes raw(text, path, C3dProcessor::Intel);  // single bytes are the same everywhere
  const bool begins_well = raw.byte(0) != 0 && raw.byte(1) == 0x50;
  if (!begins_well) reject_foreign(path, text, FileUse::Recording);
  if (!begins_well)
    reject_c3d(path, "C3D file", "must begin with the number of its parameter block and 80",
               std::to_string(raw.byte(0)) + " and " + std::to_string(raw.byte(1)),
               "check the file extension, or give its format");
  const auto processor = static_cast<C3dProcessor>(raw.byte(section + 3));
  if (processor < C3dProcessor::Intel || processor > C3dProcessor::Mips)
    reject_c3d(path, "processor", "must be 84 (Intel), 85 (DEC) or 86 (MIPS)", std::to_string(raw.byte(section + 3)));
  return processor;
}

/// A frame number of TRIAL: low and high 16-bit word.
std::optional<double> long_number(const C3dParameters& parameters, const std::string& name) {
  const auto low = parameters.number(name), high = parameters.number(name, 1);
  if (!low) return {};
  return *low + 65536 * high.value_or(0);
}

void find_frames(const C3dBytes& bytes, const C3dParameters& parameters, Layout& layout) {
  double first = bytes.word(6), last = bytes.word(8);
  const auto start = long_number(parameters, "TRIAL:ACTUAL_START_FIELD"),
             end = long_number(parameters, "TRIAL:ACTUAL_END_FIELD");
  if (start && end) {
    first = *start;
    last = *end;
  } else if (const auto count = parameters.number("POINT:LONG_FRAMES"); count && *count >= 1) {
    last = first + std::floor(*count) - 1;
  }
  if (!(last >= first) || !(last - first < 4294967296.0))
    reject_c3d(bytes.path(), "frames", "must end after they begin",
               std::to_string(first) + " to " + std::to_string(last));
  layout.first = static_cast<std::size_t>(first);
  layout.frames = static_cast<std::size_t>(last - first) + 1;
}

Layout find_layout(const C3dBytes& bytes, const C3dParameters& parameters) {
  Layout layout;
  layout.points = bytes.word(2);
  layout.analog = bytes.word(4);
  if (layout.points == 0)
    reject_c3d(bytes.path(), "markers", "must be at least one", "none", "export the trial with its markers");
  if (const auto used = parameters.number("POINT:USED"); used && *used != layout.points)
    reject_c3d(bytes.path(), "POINT:USED", "must be the header's " + std::to_string(layout.points),
               std::to_string(*used));
  find_frames(bytes, parameters, layout);
  const double scale = parameters.number("POINT:SCALE").value_or(bytes.real(12));
  if (!std::isfinite(scale) || scale == 0)
    reject_c3d(bytes.path(), "POINT:SCALE", "must be a number other than 0", std::to_string(scale));
  layout.floats = scale < 0;
  layout.scale = std::abs(scale);
  const double data_block = parameters.number("POINT:DATA_START").value_or(0);
  const double first_block = data_block > 0 ? data_block : bytes.word(16);
  if (!(first_block >= 2) || first_block != std::floor(first_block) || first_block > 65535)
    reject_c3d(bytes.path(), "first block of data", "must be a number from 2 on", std::to_string(first_block));
  layout.start = (static_cast<std::size_t>(first_block) - 1) * block;
  const std::size_t rest = bytes.size() > layout.start ? bytes.size() - layout.start : 0;
  if (layout.frames > rest / layout.frame_size())
    reject_c3d(
        bytes.path(), "data",
        "must contain " + std::to_string(layout.frames) + " frames of " + std::to_string(layout.points) + " markers",
        "room for " + std::to_string(rest / layout.frame_size()) + " of them",
        "the file is cut off or damaged: copy it again");
  return layout;
}

sim::Points read_frame(const C3dBytes& bytes, const Layout& layout, std::size_t at) {
  sim::Points x(3, static_cast<Index>(layout.points));
  const std::size_t w = layout.word_size();
  for (Index m = 0; m < x.cols(); ++m, at += 4 * w) {
    const double residual = layout.floats ? bytes.real(at + 3 * w) : bytes.integer(at + 3 * w);
    for (Index a = 0; a < 3; ++a) {
      const std::size_t coordinate = at + a * w;
      x(a, m) = layout.floats ? bytes.real(coordinate) : layout.scale * bytes.integer(coordinate);
    }
    if (!(residual >= 0)) x.col(m).setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  return x;
}

}  // namespace

MarkerFile read_c3d(const std::string& path) {
  const std::string text = read_text_file(path, "recording", most_recording_bytes);
  const std::size_t section = (static_cast<std::size_t>(static_cast<unsigned char>(text[0])) - 1) * block;
  const C3dBytes bytes(text, path, processor_of(text, section, path));
  const C3dParameters parameters(bytes, section);
  const Layout layout = find_layout(bytes, parameters);

  MarkerFile file;
  file.path = path;
  file.rate = parameters.number("POINT:RATE").value_or(bytes.real(20));
  const std::vector<std::string> units = parameters.texts("POINT:UNITS");
  if (!units.empty()) file.unit_name = units.front();
  file.unit = find_length_unit(file.unit_name);
  file.markers = parameters.texts("POINT:LABELS");
  for (int k = 2; file.markers.size() < layout.points; ++k) {  // a parameter holds 255 names at most
    const auto more = parameters.texts("POINT:LABELS" + std::to_string(k));
    if (more.empty()) break;
    file.markers.insert(file.markers.end(), more.begin(), more.end());
  }
  file.markers.resize(layout.points);
  for (std::size_t f = 0; f < layout.frames; ++f) {
    file.frames.push_back(layout.first + f);
    file.positions.push_back(read_frame(bytes, layout, layout.start + f * layout.frame_size()));
  }
  return file;
}

}  // namespace pithball::datasets
