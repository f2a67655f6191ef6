#pragma once
#include "app/base/progress.hpp"
#include "app/export/exported_motion.hpp"

namespace pithball::app {

/// Calls write(k, frame, model) for every state in order; `model` holds the particles and values of that state.
template <class Write>
void each_state(const ExportedMotion& motion, Progress& progress, const Write& write) {
  const bool is_fixed = !motion.come_and_go() && !motion.changes();
  datasets::H5mdPages states = motion.states();
  for (std::size_t k = 0; k < states.size(); ++k) {
    const datasets::H5mdFrame& frame = states[k];
    is_fixed ? write(k, frame, motion.model) : write(k, frame, motion.present(frame).model);
    progress.update(static_cast<double>(k + 1));
  }
}

}  // namespace pithball::app
