#include "datasets/capture/c3d_reader.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "datasets/text/foreign_file.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

/// The parameter section of a C3D file: named values in named groups (The C3D File Format User Guide, 2008, "The
/// parameter section"). Copies and allocates only what the file contains.
class C3dParameters {
 public:
  /// Reads the section at byte `start`; throws InvalidArgument if it extends beyond the file.
  C3dParameters(const C3dBytes& bytes, std::size_t start);

  /// Number `k` of "POINT:RATE"; 16-bit integers are unsigned, as writers store counts beyond 32767. Empty if there is
  /// no such parameter, no entry `k`, or no number.
  std::optional<double> number(const std::string& name, std::size_t k = 0) const;
  /// All texts of "POINT:LABELS", without blanks at their ends; empty if there is none.
  std::vector<std::string> texts(const std::string& name) const;

 private:
  struct Parameter {
    int type = 0;            ///< −1 text, 1 byte, 2 integer, 4 float; the absolute value is the size in bytes
    std::size_t count = 0;   ///< elements
    std::size_t length = 0;  ///< of a text
    std::size_t at = 0;      ///< first byte of the elements
  };
  const Parameter* find(const std::string& name) const;

  const C3dBytes& bytes_;
  std::map<std::string, Parameter> parameters_;  ///< by "GROUP:NAME"
};

std::string_view C3dBytes::slice(std::size_t at, std::size_t length) const {
  if (at > bytes_.size() || length > bytes_.size() - at)
    throw InvalidArgument(
        {path_, "C3D file", "must contain " + std::to_string(length) + " bytes from byte " + std::to_string(at) + " on",
         "a file of " + std::to_string(bytes_.size()) + " bytes", "the file is cut off or damaged: copy it again"});
  return bytes_.substr(at, length);
}

std::uint16_t C3dBytes::word(std::size_t at) const {
  const std::string_view b = slice(at, 2);
  const auto low = static_cast<std::uint8_t>(b[0]), high = static_cast<std::uint8_t>(b[1]);
  return static_cast<std::uint16_t>(processor_ == C3dProcessor::Mips ? low << 8 | high : high << 8 | low);
}

float C3dBytes::real(std::size_t at) const {
  // The 16-bit word with sign and exponent comes first on all processors but Intel.
  const std::uint32_t first = word(at), second = word(at + 2);
  const std::uint32_t bits = processor_ == C3dProcessor::Intel ? second << 16 | first : first << 16 | second;
  if (processor_ != C3dProcessor::Dec) return std::bit_cast<float>(bits);
  const std::uint32_t exponent = bits >> 23 & 0xff;
  if (exponent == 0) return bits >> 31 ? std::numeric_limits<float>::quiet_NaN() : 0.0F;
  // Avoids the exponent 255, which denotes infinity in IEEE format but an ordinary number in VAX format.
  const float fraction = std::bit_cast<float>((bits & 0x807fffff) | 127U << 23);
  return static_cast<float>(std::ldexp(fraction, static_cast<int>(exponent) - 129));
}

namespace {

std::string upper_case(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return upper;
}

/// Removes the padding of a text: blanks, or the zeros of some programs.
std::string_view unpadded(std::string_view text) { return trim(text.substr(0, text.find('\0'))); }

}  // namespace

C3dParameters::C3dParameters(const C3dBytes& bytes, std::size_t start) : bytes_(bytes) {
  // Each record: length of the name (negative: locked), group (negative: this is the group itself), name, offset of the
  // next record from here (0: none), then the content. A parameter may precede its group.
  std::map<int, std::string> groups;
  std::map<std::pair<int, std::string>, Parameter> found;
  for (std::size_t at = start + 4;;) {
    const std::size_t name_length = std::abs(static_cast<std::int8_t>(bytes.byte(at)));
    if (name_length == 0) break;
    const int group = static_cast<std::int8_t>(bytes.byte(at + 1));
    const std::string name = upper_case(bytes.slice(at + 2, name_length));
    const std::size_t link = at + 2 + name_length, next = bytes.word(link);
    if (group < 0) {
      groups[-group] = name;
    } else {
      Parameter p;
      p.type = static_cast<std::int8_t>(bytes.byte(link + 2));
      const std::size_t dimensions = bytes.byte(link + 3);
      p.at = link + 4 + dimensions;
      p.count = p.length = 1;
      for (std::size_t k = 0; k < dimensions; ++k) {
        const std::size_t size = bytes.byte(link + 4 + k);
        (p.type == -1 && k == 0 ? p.length : p.count) *= size;
        if (p.count > bytes.size() || p.length > bytes.size()) bytes.slice(p.at, p.count);  // throws
      }
      bytes.slice(p.at, p.count * (p.type == -1 ? p.length : std::abs(p.type)));
      found[{group, name}] = p;
    }
    if (next == 0) break;
    at = link + next;
  }
  for (const auto& [key, parameter] : found) parameters_[groups[key.first] + ":" + key.second] = parameter;
}

const C3dParameters::Parameter* C3dParameters::find(const std::string& name) const {
  const auto found = parameters_.find(name);
  return found == parameters_.end() ? nullptr : &found->second;
}

std::optional<double> C3dParameters::number(const std::string& name, std::size_t k) const {
  const Parameter* p = find(name);
  if (!p || k >= p->count) return {};
  if (p->type == 1) return bytes_.byte(p->at + k);
  if (p->type == 2) return bytes_.word(p->at + 2 * k);
  if (p->type == 4) return static_cast<double>(bytes_.real(p->at + 4 * k));
  return {};
}

std::vector<std::string> C3dParameters::texts(const std::string& name) const {
  std::vector<std::string> list;
  const Parameter* p = find(name);
  if (!p || p->type != -1 || p->length == 0) return list;
  for (std::size_t k = 0; k < p->count; ++k)
    list.emplace_back(unpadded(bytes_.slice(p->at + k * p->length, p->length)));
  return list;
}

namespace {

constexpr std::size_t block = 512;  // bytes

/// Layout of the frames in the file.
struct Layout {
  std::size_t points = 0, analog = 0;  ///< markers, and analog samples of a frame
  std::size_t first = 1, frames = 0;   ///< number of the first frame; number of frames
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
  const C3dBytes raw(text, path, C3dProcessor::Intel);  // single bytes do not depend on the processor
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

/// Returns a frame number of TRIAL, which is stored as a low and a high 16-bit word.
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
