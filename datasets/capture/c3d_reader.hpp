#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "datasets/capture/marker_file.hpp"

namespace pithball::datasets {

/// The processors whose number formats C3D files use, with their code in the parameter section.
enum class C3dProcessor : std::uint8_t { Intel = 84, Dec = 85, Mips = 86 };

/// Reads numbers from the bytes of a C3D file. Reading beyond the end throws InvalidArgument.
///
/// Intel: little-endian, IEEE floats. MIPS: big-endian, IEEE floats. DEC: little-endian integers and VAX F_floating,
/// whose two 16-bit words are in the other order and whose value is a quarter of what IEEE would read in the same bits
/// (VAX Architecture Reference Manual, 1987, ch. 2); exponent 0 is 0 or, with a minus sign, not a number.
class C3dBytes {
 public:
  /// `bytes` must outlive this object; `path` is for messages.
  C3dBytes(std::string_view bytes, std::string path, C3dProcessor processor)
      : bytes_(bytes), path_(std::move(path)), processor_(processor) {}

  /// Byte `at`, without sign. Offsets, here and below, are counted from 0.
  std::uint8_t byte(std::size_t at) const { return static_cast<std::uint8_t>(slice(at, 1)[0]); }
  /// Two bytes as a number from 0 to 65,535.
  std::uint16_t word(std::size_t at) const;
  /// Two bytes as a number with sign (two's complement).
  std::int16_t integer(std::size_t at) const { return static_cast<std::int16_t>(word(at)); }
  /// Four bytes as a number in the processor's format; NaN if they are not a number.
  float real(std::size_t at) const;
  /// `length` bytes from `at` on; a view of what the constructor was given.
  std::string_view slice(std::size_t at, std::size_t length) const;
  /// Length of the file [B].
  std::size_t size() const { return bytes_.size(); }
  /// Path of the file, for messages.
  const std::string& path() const { return path_; }

 private:
  std::string_view bytes_;
  std::string path_;
  C3dProcessor processor_;
};

/// Reads the markers of a C3D file (The C3D File Format User Guide, 2008): floats or scaled integers, written by Intel,
/// DEC or MIPS processors. A sample with a negative residual is missing. Names come from POINT:LABELS, LABELS2, …;
/// unit, rate and scale from POINT:UNITS, RATE and SCALE (rate and scale otherwise from the header). The number of
/// frames comes from TRIAL:ACTUAL_START_FIELD and ACTUAL_END_FIELD, else POINT:LONG_FRAMES, else the header, which
/// cannot hold more than 65535. Analog channels are skipped.
///
/// Throws InvalidArgument on another format or processor, on contradictory counts, and on frames or parameters beyond
/// the end of the file, before memory is allocated for them.
MarkerFile read_c3d(const std::string& path);

}  // namespace pithball::datasets
