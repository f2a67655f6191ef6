#include "sim/coulomb/ddef/ddef_coulomb_sum.hpp"

#include <limits>

#include "sim/core/error.hpp"
#include "sim/coulomb/ddef/ddef_plan.hpp"

namespace pithball::sim {
namespace {

/// The plan for positions without a finite bounding box: every result is NaN.
class UndefinedPlan final : public CoulombSum::Plan {
 public:
  void evaluate(const CoulombSources&, const CoulombResult& result) const override {
    if (result.potential) result.potential->fill(undefined);
    if (result.field) result.field->fill(undefined);
    if (result.field_gradient) result.field_gradient->fill(undefined);
  }
  void force_jvp(const Vector&, const Points&, const Vector&, Points& df) const override { df.fill(undefined); }
  void force_vjp(const Vector&, const Points&, Points& dx, Vector& dcharge) const override {
    dx.fill(undefined);
    dcharge.fill(undefined);
  }

 private:
  static constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace

DdefCoulombSum::DdefCoulombSum(const DdefOptions& options, double softening)
    : options_(options), softening_(softening) {
  constexpr Index most = 1'000'000;  // their tetrahedra take more than a gigabyte
  if (options.points < 1 || options.points > most)
    throw InvalidArgument({"", "ddef.points", "must be from 1 to " + std::to_string(most),
                           std::to_string(options.points), "give the number of grid points, 1000 or so"});
}

std::shared_ptr<const CoulombSum::Structure> DdefCoulombSum::make_structure(const Points& x) const {
  return std::make_shared<DdefStructure>(x, options_);
}

std::unique_ptr<CoulombSum::Plan> DdefCoulombSum::make_plan(const Points& x,
                                                            std::shared_ptr<const Structure> structure) const {
  auto own = std::dynamic_pointer_cast<const DdefStructure>(structure);
  if (!own) own = std::make_shared<DdefStructure>(x, options_);
  if (!own->valid()) return std::make_unique<UndefinedPlan>();
  return std::make_unique<DdefPlan>(x, std::move(own), options_, softening_);
}

}  // namespace pithball::sim
