#include <charconv>
#include <fstream>

#include "datasets/capture/capture_reader.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

namespace {

void append(std::string& line, double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  line.append(digits, end);
}

}  // namespace

void write_capture_csv(const Capture& capture, const std::string& file, std::string_view comment) {
  std::ofstream out(file, std::ios::binary);
  const auto markers = capture.markers.size();
  for (std::size_t at = 0; at < comment.size();) {
    const std::size_t end = std::min(comment.find('\n', at), comment.size());
    out << "# " << comment.substr(at, end - at) << '\n';
    at = end + 1;
  }
  out << 't';
  for (std::size_t m = 0; m < markers; ++m)
    for (const std::string& component : capture.components) out << ',' << component << m;
  out << '\n';
  for (std::size_t f = 0; f < capture.positions.size(); ++f) {
    std::string line;
    append(line, capture.time[f]);
    for (std::size_t m = 0; m < markers; ++m)
      for (std::size_t a = 0; a < capture.components.size(); ++a) {
        line += ',';
        if (capture.present[f][m]) append(line, capture.positions[f](static_cast<Index>(a), static_cast<Index>(m)));
      }
    out << line << '\n';
  }
  out.close();
  if (!out)
    throw InvalidArgument(
        {file, "recording", "must be writable", "a write error", "check the folder, its permissions and the disk"});
}

}  // namespace pithball::datasets
