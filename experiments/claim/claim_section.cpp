#include "experiments/claim/claim_section.hpp"

#include "experiments/claim/claim_text.hpp"

namespace pithball::experiments {

app::Section claim_section(const std::string& title, const std::string& note, const std::vector<Claim>& claims) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Claim& claim : claims)
    rows.push_back({claim.what, expected_text(claim), measured_text(claim), verdict_text(claim), reason_text(claim)});
  return {"table",
          {{"title", title},
           {"note", note},
           {"columns",
            {{{"label", "claim"}},
             {{"label", "expected"}},
             {{"label", "measured"}},
             {{"label", "verdict"}},
             {{"label", "reason"}}}},
           {"rows", rows}}};
}

}  // namespace pithball::experiments
