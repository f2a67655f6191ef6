#include <fmt/format.h>

#include "app/report/sections.hpp"

namespace pithball::app {

using nlohmann::ordered_json;

Sections gradient_sections(const Run& run) {
  if (!run.gradient) return {};
  const ordered_json& check = *run.gradient;
  ordered_json rows = ordered_json::array(), worst = ordered_json::array();
  for (const ordered_json& block : check.at("blocks")) {
    rows.push_back({block.at("name"), block.at("size"), block.at("largest"), block.at("adjoint_vs_tangent"),
                    block.at("adjoint_vs_difference"), block.at("difference_error"), block.at("passed")});
    if (block.at("worst") != "") worst.push_back({block.at("name"), block.at("worst")});
  }
  std::string note = fmt::format(
      "Derivatives of a loss in which every position and velocity counts: how far those by tangents and by finite "
      "differences are from the adjoint's, relative to the block's largest entry. Allowed are {:g} (tangent) and {:g} "
      "beyond its own error (difference).",
      check.at("tolerances").at("tangent").get<double>(), check.at("tolerances").at("difference").get<double>());
  if (!check.at("unreliable_step").is_null())
    note += fmt::format(" The derivative is unreliable at step {}: the implicit step is nearly singular there.",
                        check.at("unreliable_step").get<Index>());
  if (check.at("crossings") > 0)
    note += fmt::format(" {} particles left their cells in a difference; the cells were held as in the reference run.",
                        check.at("crossings").get<Index>());
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
                     {{"label", "passed"}}}},
                   {"rows", rows}}},
          Section{"table",
                  {{"title", "Largest disagreements"},
                   {"note", "The entry of each block, or the direction, in which the three derivatives differ most."},
                   {"columns", {{{"label", "block"}}, {{"label", "entry and its three derivatives"}}}},
                   {"rows", worst}}}};
}

}  // namespace pithball::app
