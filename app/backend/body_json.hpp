#pragma once
#include <nlohmann/json_fwd.hpp>

#include "sim/model/model.hpp"

namespace pithball::app {

/// A body of masses, springs and charges in uniform fields, as the class `Body` of app/backend/jax_md/serve.py reads
/// it: lists of numbers in SI units. What `PlainForces` misses is left out.
nlohmann::json body_json(const sim::Model& model, const sim::State& start);

/// Points as rows of three numbers.
nlohmann::json rows_json(const sim::Points& points);

}  // namespace pithball::app
