#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace pithball::sim {

/// The substeps chosen by a run, by the time at which their step began, so that other runs can use the same ones:
/// finite differences then see a smooth function of the initial state and the physical values. Thread-safe.
class SubstepMemory {
 public:
  /// The substeps [s] of the step that begins at t [s], if a run has chosen them.
  std::optional<std::vector<double>> find(double t) const {
    const std::lock_guard lock(mutex_);
    const auto at = substeps_.find(t);
    return at == substeps_.end() ? std::nullopt : std::optional(at->second);
  }
  /// Stores the substeps [s] of the step that begins at t [s]; does nothing if that step already has some.
  void keep(double t, const std::vector<double>& substeps) {
    const std::lock_guard lock(mutex_);
    substeps_.try_emplace(t, substeps);
  }

 private:
  mutable std::mutex mutex_;
  std::map<double, std::vector<double>> substeps_;
};

}  // namespace pithball::sim
