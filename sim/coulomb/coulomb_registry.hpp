#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/registry.hpp"
#include "sim/coulomb/coulomb_sum.hpp"
#include "sim/coulomb/ddef/ddef_coulomb_sum.hpp"
#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/coulomb/fmm/fmm_coulomb_sum.hpp"

namespace pithball::sim {

/// The faster of `direct` and `fmm` for the number of points and the tolerance: `direct` below `crossover(tolerance)`.
/// That number comes from a cost model, not a measurement, so that a run does not depend on the machine.
class AutoCoulombSum final : public CoulombSum {
 public:
  /// Relative L2 error of the field, between `FmmCoulombSum::finest` and `coarsest`, kept by `fmm`; ε ≥ 0 [m]. Throws
  /// InvalidArgument for a tolerance out of range.
  explicit AutoCoulombSum(double tolerance = 1e-6, double softening = 0);
  std::string name() const override { return "auto"; }
  std::shared_ptr<const Structure> make_structure(const Points& x) const override;
  using CoulombSum::make_plan;  ///< also `make_plan(x)`, which makes the structure
  std::unique_ptr<Plan> make_plan(const Points& x, std::shared_ptr<const Structure> structure) const override;
  std::unique_ptr<Plan> make_partial_plan(const Points& x, const std::vector<Index>& some) const override;

  /// "direct" or "fmm".
  std::string choice(Index points) const { return points < crossover_ ? direct_.name() : fmm_.name(); }
  /// Number of points from which `fmm` is used.
  static Index crossover(double tolerance);

 private:
  Index crossover_;
  DirectCoulombSum direct_;
  FmmCoulombSum fmm_;
};

/// Settings of a Coulomb sum; each method uses those that apply to it.
struct CoulombOptions {
  std::string method = "auto";              ///< a name of `coulomb_methods()`
  double softening = 0;                     ///< Plummer softening ε [m], all methods
  double tolerance = 1e-6;                  ///< requested relative L2 error of the field, for methods that support one
  Precision precision = Precision::Double;  ///< method `direct`
  DdefOptions ddef;                         ///< method `ddef`
};

/// A Coulomb method, as named by the key `method`.
struct CoulombMethod {
  std::string name;     ///< "direct"
  std::string summary;  ///< one phrase
  /// Makes the sum; reads only the options of its method, and throws InvalidArgument for one out of range.
  std::function<std::unique_ptr<const CoulombSum>(const CoulombOptions&)> make;
};

/// All methods; `auto` first.
const Registry<CoulombMethod>& coulomb_methods();

/// The sum with these options. Throws InvalidArgument for an unknown method.
std::unique_ptr<const CoulombSum> make_coulomb_sum(const CoulombOptions& options);

}  // namespace pithball::sim
