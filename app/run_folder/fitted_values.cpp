#include "app/run_folder/fitted_values.hpp"

#include <cmath>

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

FittedValues read_fitted_values(const ordered_json& json, const sim::Model& model) {
  const sim::Values& values = model.values();
  const std::string name = json.at("value");
  const Index k = json.at("block");
  const ordered_json& list = json.at("estimates");
  const bool known = k >= 0 && k < static_cast<Index>(values.blocks().size()) && values.block(k).name == name;
  if (!known || (list.is_array() && static_cast<Index>(list.size()) != values.block(k).size))
    throw InvalidArgument({"fit.json", "fitted_values", "must be values of the experiment in run.yaml",
                           "others, of '" + name + "'", "repeat the fit"});
  FittedValues fitted{k, name, values.block(k).unit, values.block(k).owner, Vector(values.block(k).size)};
  for (Index i = 0; i < fitted.estimates.size(); ++i) {
    const ordered_json& entry = list.is_array() ? list.at(static_cast<std::size_t>(i)) : list;
    fitted.estimates[i] = entry.is_null() ? NAN : entry.get<double>();
  }
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
