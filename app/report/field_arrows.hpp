#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "app/run_folder/run.hpp"

namespace pithball::app {

/// The total electric field of the particles' charges, point charges and external fields, as arrows for the key `field`
/// of a motion document: on a grid around the positions that the body passes (a plane if they lie in one), at up to 60
/// of the states `shown` (their indices), or at one if the field does not change. NaN: closer to a charge than a third
/// of the grid spacing. Null without charges and fields. `model`: forces and values of this motion; external fields are
/// those of the run's experiment with the model's values.
nlohmann::ordered_json field_arrows(const Run& run, const sim::Model& model, const datasets::H5mdReader& trajectory,
                                    const std::vector<std::size_t>& shown);

/// The wind of drag forces, likewise, for the key `wind`. Null without wind.
nlohmann::ordered_json wind_arrows(const sim::Model& model, const datasets::H5mdReader& trajectory,
                                   const std::vector<std::size_t>& shown);

}  // namespace pithball::app
