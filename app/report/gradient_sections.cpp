#include <fmt/format.h>

#include "app/base/json_text.hpp"
#include "app/report/sections.hpp"
#include "diff/rollout/rollout.hpp"

namespace pithball::app {

using nlohmann::ordered_json;

Sections gradient_sections(const GradientRecord& check) {
  ordered_json rows = ordered_json::array(), worst = ordered_json::array();
  for (const diff::GradientBlock& block : check.blocks) {
    rows.push_back({block.name, block.size, number_or_null(block.largest), number_or_null(block.adjoint_vs_tangent),
                    number_or_null(block.adjoint_vs_difference), number_or_null(block.difference_error),
                    number_or_null(block.floor), to_string(block.verdict)});
    if (!block.worst.empty()) worst.push_back({block.name, block.worst});
  }
  std::string note = fmt::format(
      "Derivatives of a test loss that depends on all positions and velocities: differences of tangents and of finite "
      "differences from the adjoint, relative to the largest entry of each block. Tolerances: {:g} (tangent), and {:g} "
      "in addition to its own error (finite difference).",
      check.tangent_tolerance, check.difference_tolerance);
  if (check.unreliable_step)
    note +=
        fmt::format(" The derivative is unreliable at step {}, {}.", *check.unreliable_step, diff::where_unreliable);
  if (check.crossings > 0)
    note += fmt::format(
        " {} particles left their cells during a finite difference; the cells of the reference run were used.",
        check.crossings);
  return {Section{"table",
                  {{"title", "Derivatives"},
                   {"note", note},
                   {"columns",
                    {{{"label", "block"}},
                     {{"label", "entries"}},
                     {{"label", "largest"}},
                     {{"label", "tangent"}},
                     {{"label", "difference"}},
                     {{"label", "its error"}},
                     {{"label", "rounding"}},
                     {{"label", "verdict"}}}},
                   {"rows", rows}}},
          Section{"table",
                  {{"title", "Largest disagreements"},
                   {"note", "The entry of each block, or the direction, in which the three derivatives differ most."},
                   {"columns", {{{"label", "block"}}, {{"label", "entry and its three derivatives"}}}},
                   {"rows", worst}}}};
}

}  // namespace pithball::app
