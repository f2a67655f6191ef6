#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/run_folder/not_known.hpp"
#include "sim/core/types.hpp"

namespace pithball::app {

using sim::Index;

/// A recording of the design that `plan --optimize` found.
struct OptimizedRecording {
  std::string name;
  double rate = not_known, duration = not_known;         ///< [1/s], [s]
  Index frames = 0;                                      ///< its cost
  std::vector<Index> markers;                            ///< particles; empty: as written
  std::vector<std::pair<std::string, std::string>> set;  ///< key, value as text
  std::string trajectory, table;  ///< its simulated motion and markers in the run folder; empty: not written
};

/// A parameter's predicted standard errors.
struct DesignGain {
  std::string parameter, unit;
  double before = not_known, optimized = not_known;  ///< ∞: not identifiable

  double ratio() const { return before / optimized; }
};

/// The design that `plan --optimize` found.
struct OptimizedDesign {
  std::string criterion;  ///< "D", "A", or the name of the only parameter that counts
  std::string before;     ///< the alternative with which it is compared
  std::string given;      ///< run folder of the earlier fit; empty: none
  std::vector<OptimizedRecording> recordings;
  std::vector<DesignGain> gains;
  double waveform_gain = 1;  ///< mean standard error with the numbers in the file / with those found
  long runs = 0, evaluations = 0;
  std::vector<std::string> notes;
};

/// `optimized` of plan.json.
nlohmann::ordered_json to_json(const OptimizedDesign& design);
/// Reads it back. Throws nlohmann's exceptions on another document.
OptimizedDesign read_optimized_design(const nlohmann::ordered_json& json);

}  // namespace pithball::app
