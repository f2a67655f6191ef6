#pragma once
// A force alone, at rest at t = 0.
#include <memory>

#include "sim/model/model.hpp"

namespace pithball::tests {

/// Free particles of 1 kg with these charges [C] and one force.
inline sim::Model with_charges(const sim::Vector& charge, std::shared_ptr<sim::ForceTerm> term) {
  return {{.particles = charge.size(), .springs = {}, .held = {}},
          sim::Vector::Ones(charge.size()),
          charge,
          {std::move(term)}};
}

inline sim::Points force_at(const sim::Model& model, const sim::Points& x) {
  sim::Points f = sim::Points::Zero(3, x.cols());
  model.add_forces({0, x, sim::Points::Zero(3, x.cols())}, f, sim::every_term);
  return f;
}

inline double energy_at(const sim::Model& model, const sim::Points& x) {
  return model.terms()[0]->energy(model, {0, x, sim::Points::Zero(3, x.cols())}).value();
}

}  // namespace pithball::tests
