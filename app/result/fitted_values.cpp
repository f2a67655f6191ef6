#include "app/result/fitted_values.hpp"

#include <cmath>

#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

using sim::Index;
using sim::ValueOwner;
using sim::Vector;

constexpr ValueOwner value_owners[] = {ValueOwner::Particle, ValueOwner::Spring, ValueOwner::Term};

std::string owners_word(ValueOwner owner) {
  return owner == ValueOwner::Particle ? "particles" : owner == ValueOwner::Spring ? "springs" : "force";
}

}  // namespace

bool FittedValues::vary() const {
  return estimates.minCoeff<Eigen::PropagateNumbers>() < estimates.maxCoeff<Eigen::PropagateNumbers>();
}

std::vector<FittedValues> find_fitted_values(const optim::ParameterMap& map, const diff::Scenario& fitted,
                                             Index scenario) {
  std::vector<FittedValues> found;
  const sim::Values& values = fitted.model.values();
  for (Index k = 0; k < static_cast<Index>(values.blocks().size()); ++k) {
    const sim::ValueBlock& block = values.block(k);
    FittedValues touched{k, block.name, block.unit, block.owner, Vector::Constant(block.size, NAN)};
    bool any = false;
    for (const optim::ParameterEntry& entry : map.entries(scenario)) {
      const Index i = entry.index - block.offset;
      if (i < 0 || i >= block.size) continue;
      touched.estimates[i] = values[k][i];
      any = true;
    }
    if (any) found.push_back(std::move(touched));
  }
  return found;
}

void fields(FieldVisitor& v, FittedValues& fitted) {
  v.is("FittedValues", "estimates for one block of a recording's model");
  v("value", fitted.value, "name of the block: \"charge\"");
  v("unit", fitted.unit, "unit of the estimates, in base units of SI");
  v("of", Word<ValueOwner>{fitted.of, {std::begin(value_owners), std::end(value_owners)}, owners_word},
    "what its entries belong to");
  v("block", fitted.block, "number of the block");
  v("estimates", OneOrMany{fitted.estimates}, in("of the block"),
    "one for each entry, null where it was not fitted, or one number for all");
}

FittedValues spread_over(const sim::Model& model, const FittedValues& stored) {
  const sim::Values& values = model.values();
  const Index k = stored.block, count = stored.estimates.size();
  const bool known = k >= 0 && k < static_cast<Index>(values.blocks().size()) && values.block(k).name == stored.value;
  if (!known || (count != 1 && count != values.block(k).size))
    throw InvalidArgument({"fit.json", "fitted_values", "must contain the values of the experiment in run.yaml",
                           "others, of '" + stored.value + "'", "repeat the fit"});
  const sim::ValueBlock& block = values.block(k);
  FittedValues fitted{k, block.name, block.unit, block.owner, stored.estimates};
  if (count == 1) fitted.estimates = Vector::Constant(block.size, stored.estimates[0]);
  return fitted;
}

sim::Model with_fitted_values(const sim::Model& model, const std::vector<FittedValues>& fitted) {
  Vector data = model.values().data();
  for (const FittedValues& values : fitted) {
    auto block = model.values().of(data, values.block);
    block = values.estimates.array().isNaN().select(block, values.estimates);
  }
  return model.with_values(data);
}

}  // namespace pithball::app
