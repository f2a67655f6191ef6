#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "datasets/trajectory/h5md_reader.hpp"
#include "sim/model/model.hpp"

namespace pithball::app {

/// The total electric field of the particles' charges, their images and external sources, as arrows for the key `field`
/// of a motion document: on a grid around the positions that the body passes (a plane if they lie in one), at up to 60
/// of the states `shown` (their indices), or at one if the field does not change. NaN: closer to a charge than a third
/// of the grid spacing, behind an image plane or outside a table. Null without charges and external sources. `model`:
/// forces and values of this motion.
nlohmann::ordered_json field_arrows(const sim::Model& model, const datasets::H5mdReader& trajectory,
                                    const std::vector<std::size_t>& shown);

/// The wind of drag forces, likewise, for the key `wind`. Null without wind.
nlohmann::ordered_json wind_arrows(const sim::Model& model, const datasets::H5mdReader& trajectory,
                                   const std::vector<std::size_t>& shown);

}  // namespace pithball::app
