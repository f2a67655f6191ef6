#pragma once
#include <optional>
#include <string>
#include <vector>

#include "diff/check/gradient_check.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::app {

using sim::Index;

/// gradient.json.
struct GradientRecord {
  bool passed = false;                      ///< the run completed, and every block agrees
  std::string status;                       ///< of the run: "ok", "diverged" or "not_converged"
  std::optional<Index> unreliable_step;     ///< first step whose derivative is
                                            ///< unreliable; empty: none
  double loss = 0;                          ///< L of the run
  Index steps = 0;                          ///< number of steps of the run
  Index crossings = 0;                      ///< particles that changed their cell during a finite difference
  double tangent_tolerance = 0,             ///< relative to a block's largest entry
      difference_tolerance = 0;             ///< likewise
  std::vector<diff::GradientBlock> blocks;  ///< as in GradientCheck
  std::vector<std::string> doubts = {};     ///< why derivatives that agree are not those of the motion
};

/// The whole of gradient.json.
void fields(FieldVisitor& v, GradientRecord& record);

}  // namespace pithball::app
