#pragma once
// Writes small C3D files byte by byte, from the format's description and not from the reader.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace pithball::testing {

/// What a C3D file of a test holds.
struct C3dContent {
  int processor = 84;   ///< 84 Intel, 85 DEC, 86 MIPS
  float scale = -0.1F;  ///< negative: floats
  float rate = 50;
  std::string units = "mm";
  std::vector<std::string> labels{"head", "tip"};
  std::vector<std::string> more_labels;  ///< LABELS2
  /// Frames of points, each x, y, z in the file's unit and the residual, −1: missing.
  std::vector<std::vector<std::array<double, 4>>> frames;
  int analog = 0;              ///< analog samples of a frame
  unsigned first = 1;          ///< number of the first frame
  bool actual_fields = false;  ///< TRIAL:ACTUAL_START_FIELD and ACTUAL_END_FIELD
  float long_frames = 0;       ///< POINT:LONG_FRAMES, 0: none
  unsigned header_last = 0;    ///< 0: the right one
};

class C3dWriter {
 public:
  explicit C3dWriter(const C3dContent& content) : c_(content) {}

  std::string bytes() {
    out_.assign(512, '\0');  // header: block 1
    begin_parameters();
    group(1, "POINT");
    text(1, "UNITS", {c_.units}, c_.units.size());
    text(1, "LABELS", c_.labels, 8);
    if (!c_.more_labels.empty()) text(1, "LABELS2", c_.more_labels, 8);
    real(1, "SCALE", c_.scale);
    real(1, "RATE", c_.rate);
    if (c_.long_frames > 0) real(1, "LONG_FRAMES", c_.long_frames);
    const unsigned last = c_.first + static_cast<unsigned>(c_.frames.size()) - 1;
    if (c_.actual_fields) {
      integers(2, "ACTUAL_START_FIELD", {c_.first & 0xffff, c_.first >> 16});  // before its group, as is allowed
      integers(2, "ACTUAL_END_FIELD", {last & 0xffff, last >> 16});
      group(2, "TRIAL");
    }
    out_ += '\0';
    out_.resize((out_.size() + 511) / 512 * 512, '\0');
    const auto data_block = static_cast<unsigned>(out_.size() / 512 + 1);
    for (const auto& frame : c_.frames) {
      for (const auto& point : frame)
        for (std::size_t a = 0; a < 4; ++a) number(point[a], a == 3);
      for (int k = 0; k < c_.analog; ++k) number(99, true);
    }
    out_[0] = 2;
    out_[1] = 0x50;
    set_word(2, static_cast<unsigned>(c_.frames.empty() ? 0 : c_.frames[0].size()));
    set_word(4, static_cast<unsigned>(c_.analog));
    set_word(6, std::min(c_.first, 65535U));
    set_word(8, c_.header_last > 0 ? c_.header_last : std::min(last, 65535U));
    const std::string scale = real_bytes(c_.scale), rate = real_bytes(c_.rate);
    out_.replace(12, 4, scale);
    set_word(16, data_block);
    out_.replace(20, 4, rate);
    return out_;
  }

 private:
  std::string word_bytes(unsigned value) const {
    const char low = static_cast<char>(value & 0xff), high = static_cast<char>(value >> 8 & 0xff);
    return c_.processor == 86 ? std::string{high, low} : std::string{low, high};
  }
  /// DEC: four times the value has IEEE's bits, but for the order of the two words.
  std::string real_bytes(float value) const {
    const auto bits = std::bit_cast<std::uint32_t>(c_.processor == 85 ? 4 * value : value);
    const std::string upper = word_bytes(bits >> 16), lower = word_bytes(bits & 0xffff);
    return c_.processor == 84 ? lower + upper : upper + lower;
  }
  void set_word(std::size_t at, unsigned value) { out_.replace(at, 2, word_bytes(value)); }
  void number(double value, bool whole) {
    const double counted = whole ? value : value / c_.scale;
    out_ += c_.scale < 0 ? real_bytes(static_cast<float>(value))
                         : word_bytes(static_cast<unsigned>(static_cast<std::int16_t>(std::lround(counted))));
  }
  void begin_parameters() { out_ += std::string{1, 0x50, 0, static_cast<char>(c_.processor)}; }
  void record(int group, const std::string& name, const std::string& content) {
    out_ += static_cast<char>(name.size());
    out_ += static_cast<char>(group);
    out_ += name + word_bytes(static_cast<unsigned>(content.size() + 2)) + content;
  }
  void group(int number, const std::string& name) { record(-number, name, std::string(1, '\0')); }
  void text(int group, const std::string& name, const std::vector<std::string>& texts, std::size_t length) {
    std::string content{-1, 2, static_cast<char>(length), static_cast<char>(texts.size())};
    for (std::string entry : texts) {
      entry.resize(length, ' ');
      content += entry;
    }
    record(group, name, content + '\0');
  }
  void real(int group, const std::string& name, float value) {
    record(group, name, std::string{4, 0} + real_bytes(value) + '\0');
  }
  void integers(int group, const std::string& name, const std::vector<unsigned>& values) {
    std::string content{2, 1, static_cast<char>(values.size())};
    for (const unsigned value : values) content += word_bytes(value);
    record(group, name, content + '\0');
  }

  C3dContent c_;
  std::string out_;
};

}  // namespace pithball::testing
