#include "app/run_folder/fitted_values.hpp"

#include <cmath>

#include "app/run_folder/json_reading.hpp"
#include "app/spec/renamed_keys.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;
using sim::Index;
using sim::ValueOwner;
using sim::Vector;

const char* word(ValueOwner owner) {
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

ordered_json to_json(const FittedValues& fitted) {
  const Vector& estimates = fitted.estimates;
  ordered_json json{{"value", fitted.value}, {"unit", fitted.unit}, {"of", word(fitted.of)}, {"block", fitted.block}};
  if ((estimates.array() == estimates[0]).all()) {
    json["estimates"] = estimates[0];
    return json;
  }
  json["estimates"] = ordered_json::array();
  for (const double estimate : estimates)
    json["estimates"].push_back(std::isnan(estimate) ? ordered_json(nullptr) : ordered_json(estimate));
  return json;
}

FittedValues read_fitted_values(const ordered_json& json) {
  const std::string of = json.at("of");
  const std::vector<double> estimates =
      json.at("estimates").is_array() ? numbers_of(json.at("estimates")) : std::vector{number_of(json.at("estimates"))};
  return {json.at("block"), current_value_name(json.at("value")), json.at("unit"),
          of == word(ValueOwner::Particle) ? ValueOwner::Particle
          : of == word(ValueOwner::Spring) ? ValueOwner::Spring
                                           : ValueOwner::Term,
          Eigen::Map<const Vector>(estimates.data(), estimates.size())};
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
