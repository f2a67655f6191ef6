#include "sim/integrator/substep_count.hpp"

#include <string>

namespace pithball::sim {

Index read_substep_count(Settings& settings, std::string_view key, std::string_view meaning, Index fallback) {
  constexpr Index most = 1'000'000;
  const Index count = settings.integer(key, std::string(meaning) + "; at most " + std::to_string(most), fallback);
  if (count < 1 || count > most)
    settings.reject(key, "must be 1 to " + std::to_string(most), std::to_string(count),
                    "omit it for " + std::to_string(fallback));
  return count;
}

}  // namespace pithball::sim
