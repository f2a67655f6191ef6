#pragma once
#include <string>
#include <vector>

#include "optim/parameter/parameter_map.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::app {

/// Estimates for one block of a model's values: fit.json's `recordings[].fitted_values`.
struct FittedValues {
  optim::Index block = 0;                      ///< number in Model::values()
  std::string value,                           ///< name of the block: "charge"
      unit;                                    ///< in base units of SI: "C"
  sim::ValueOwner of = sim::ValueOwner::Term;  ///< what the entries belong to
  sim::Vector estimates;                       ///< one for each entry of the block; NaN: not fitted

  /// Whether the fitted entries differ.
  bool vary() const;
};

/// Estimates for every block that a parameter changes in a scenario; `fitted`: that scenario with the estimates.
std::vector<FittedValues> find_fitted_values(const optim::ParameterMap& map, const diff::Scenario& fitted,
                                             optim::Index scenario);

/// An entry of `recordings[].fitted_values` in fit.json; a number shared by all entries is read as a single one.
void fields(FieldVisitor& v, FittedValues& fitted);

/// Expands what was read to an estimate for each entry of a model like the fitted one. Throws InvalidArgument if the
/// model has no such block.
FittedValues spread_over(const sim::Model& model, const FittedValues& stored);

/// The model with these values.
sim::Model with_fitted_values(const sim::Model& model, const std::vector<FittedValues>& fitted);

}  // namespace pithball::app
