#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/settings.hpp"
#include "sim/integrator/integrator.hpp"

namespace pithball::sim {

/// An integrator with its settings, as chosen in an experiment. It creates integrators, one for each thread; a name
/// alone selects default settings.
class IntegratorChoice {
 public:
  /// Makes an integrator with the settings that were read; stage options are ignored by explicit ones.
  using Maker = std::function<std::unique_ptr<Integrator>(const StageOptions&)>;

  /// Default settings; throws InvalidArgument listing the known names.
  IntegratorChoice(const std::string& name);
  /// The same, so that a literal converts.
  IntegratorChoice(const char* name) : IntegratorChoice(std::string(name)) {}
  /// Reads the integrator's own settings.
  IntegratorChoice(const std::string& name, Settings& settings);

  const IntegratorInfo& info() const { return *info_; }    ///< with these settings
  const std::string& name() const { return info_->name; }  ///< as in the experiment file
  /// A new integrator, never null; a frozen choice gives all of them one memory of substeps.
  std::unique_ptr<Integrator> make(const StageOptions& options = {}) const;

  /// The same integrator with frozen substeps: the first run chooses, and later runs of this integrator and its copies
  /// use the same substeps at each time (like `ForceTerm::frozen` for the cells of forces).
  IntegratorChoice frozen() const;

 private:
  std::shared_ptr<const IntegratorInfo> info_;
  Maker make_;
  std::shared_ptr<SubstepMemory> memory_;  // for a frozen integrator only
};

/// The default integrator: of second order, without numerical damping.
inline constexpr const char* default_integrator = "imex_midpoint";

/// All integrators, in the order of the documentation.
const std::vector<IntegratorInfo>& integrators();

}  // namespace pithball::sim
