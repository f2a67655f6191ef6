#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <ostream>

#include "app/export/export_format.hpp"
#include "app/export/mesh_writer.hpp"

namespace pithball::app {
namespace {

/// Returns the four bytes of a number, lowest first, as the format requires.
template <class Number>
void put(std::string& bytes, Number number) {
  static_assert(sizeof number == 4);
  const auto bits = std::bit_cast<std::uint32_t>(number);
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 0xff);
}

/// Returns the number of leading states at equal time intervals, because the file stores no times.
std::size_t even_states(const std::vector<Index>& step) {
  std::size_t count = std::min<std::size_t>(step.size(), 2);
  while (count < step.size() && step[count] - step[count - 1] == step[1] - step[0]) ++count;
  return count;
}

}  // namespace

ExportResult export_pc2(const ExportedMotion& motion, const ExportChoices&, NewFolder& folder, Progress& progress) {
  const std::size_t samples = even_states(motion.step);
  const std::string mesh = motion.name + ".obj";
  folder.write(mesh, mesh_text(posed_mesh(motion, motion.first.state), ".obj"));
  folder.write("cache.pc2", [&](std::ostream& out) {
    std::string head("POINTCACHE2\0", 12);
    put(head, std::int32_t{1});  // version
    put(head, static_cast<std::int32_t>(motion.particles()));
    put(head, 0.0f);  // frame of the first sample
    put(head, 1.0f);  // frames between samples
    put(head, static_cast<std::int32_t>(samples));
    out << head;
    datasets::H5mdPages states = motion.states();
    for (std::size_t k = 0; k < samples; ++k) {
      std::string points;
      for (const double component : states[k].state.x.reshaped()) put(points, static_cast<float>(component));
      out << points;
      progress.update(k + 1);
    }
  });
  ExportResult result{mesh, {}};
  if (samples > 1) {
    const double interval = motion.time[1] - motion.time[0];
    result.notes.push_back(
        fmt::format("one snapshot per frame: {:.6g} frames per second play in real time", 1 / interval));
  }
  if (samples < motion.size())
    result.notes.push_back(
        fmt::format("the last {} of {} snapshots are omitted: their interval differs, and the format stores no times",
                    motion.size() - samples, motion.size()));
  return result;
}

}  // namespace pithball::app
