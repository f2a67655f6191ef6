#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "optim/parameter/parameter_map.hpp"

namespace pithball::app {

/// What a fit found for one block of a model's values: fit.json's `recordings[].fitted_values`.
struct FittedValues {
  optim::Index block = 0;   ///< number in Model::values()
  std::string value, unit;  ///< of the block: "charge", "C"
  sim::ValueOwner of = sim::ValueOwner::Term;
  sim::Vector estimates;  ///< one for each entry of the block; NaN: not fitted

  /// Whether two fitted entries differ.
  bool vary() const;
};

/// Of every block that a parameter touches in a scenario; `fitted` is that scenario with the estimates.
std::vector<FittedValues> find_fitted_values(const optim::ParameterMap& map, const diff::Scenario& fitted,
                                             optim::Index scenario);

/// {value, unit, of, block, estimates: list with null for what is not fitted, or one number that all entries have}.
nlohmann::ordered_json to_json(const FittedValues& fitted);

/// The inverse, but for one number that all entries have, which stays one. Throws nlohmann's exceptions where the
/// document is none.
FittedValues read_fitted_values(const nlohmann::ordered_json& json);

/// What was read, with an estimate for each entry of a model like the fitted one. Throws InvalidArgument if the model
/// has no such block.
FittedValues spread_over(const sim::Model& model, const FittedValues& stored);

/// The model with these values.
sim::Model with_fitted_values(const sim::Model& model, const std::vector<FittedValues>& fitted);

}  // namespace pithball::app
