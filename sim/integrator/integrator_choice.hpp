#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/settings.hpp"
#include "sim/integrator/integrator.hpp"

namespace pithball::sim {

/// A time integration integrator with its own settings, as an experiment asks for it. It makes integrators, one for
/// each thread; a name alone is the integrator with default settings.
class IntegratorChoice {
 public:
  using Maker = std::function<std::unique_ptr<Integrator>(const StageOptions&)>;

  /// Default settings; throws InvalidArgument listing the known names.
  IntegratorChoice(const std::string& name);
  IntegratorChoice(const char* name) : IntegratorChoice(std::string(name)) {}
  /// Reads the integrator's own settings.
  IntegratorChoice(const std::string& name, Settings& settings);

  const IntegratorInfo& info() const { return *info_; }  ///< with these settings
  const std::string& name() const { return info_->name; }
  std::unique_ptr<Integrator> make(const StageOptions& options = {}) const;

  /// The same integrator with its choice of substeps frozen: the first run chooses, and later runs of this integrator
  /// and its copies keep, at each time, to what it chose (as `ForceTerm::frozen` keeps the cells of forces).
  IntegratorChoice frozen() const;

 private:
  std::shared_ptr<const IntegratorInfo> info_;
  Maker make_;
  std::shared_ptr<SubstepMemory> memory_;  // of a frozen integrator only
};

/// The integrator of a run that names none: of second order, and free of numerical damping.
inline constexpr const char* default_integrator = "imex_midpoint";

/// All integrators, in the order in which documentation lists them.
const std::vector<IntegratorInfo>& integrators();

}  // namespace pithball::sim
