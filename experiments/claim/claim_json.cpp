#include "experiments/claim/claim_json.hpp"

#include <nlohmann/json.hpp>

#include "app/base/json_text.hpp"
#include "experiments/claim/claim_text.hpp"
#include "experiments/claim/verdict.hpp"

namespace pithball::experiments {
namespace {

using nlohmann::ordered_json;

ordered_json value_json(const ClaimValue& value) {
  if (const double* number = std::get_if<double>(&value)) return app::number_or_null(*number);
  const std::string* word = std::get_if<std::string>(&value);
  return word ? ordered_json(*word) : ordered_json(nullptr);
}

const char* comparison(ClaimKind kind) {
  switch (kind) {
    case ClaimKind::NotStated:
      return "not stated";
    case ClaimKind::AtMost:
      return "at most";
    case ClaimKind::AtLeast:
      return "at least";
    case ClaimKind::Within:
      return "within";
    case ClaimKind::Word:
      return "is";
    case ClaimKind::BetterThan:
      return "better than";
  }
  return "";
}

ordered_json holds(Verdict verdict) {
  switch (verdict) {
    case Verdict::Holds:
    case Verdict::Better:
    case Verdict::HoldsAfterAll:
      return true;
    case Verdict::Missed:
    case Verdict::DiffersAsExplained:
      return false;
    case Verdict::NotStated:
    case Verdict::Skipped:
      break;
  }
  return nullptr;
}

}  // namespace

ordered_json rows_of_claims(const std::vector<Claim>& claims) {
  ordered_json rows = ordered_json::array();
  for (const Claim& claim : claims) {
    const Judgment judgment = judge(claim);
    rows.push_back({{"quantity", claim.what},
                    {"value", value_json(claim.measured)},
                    {"error", app::number_or_null(claim.error)},
                    {"unit", claim.unit},
                    {"comparison", comparison(claim.kind)},
                    {"expected", value_json(claim.expected)},
                    {"tolerance", app::number_or_null(claim.tolerance)},
                    {"rival", app::text_or_null(claim.rival)},
                    {"verdict", to_string(judgment.verdict)},
                    {"holds", holds(judgment.verdict)},
                    {"remark", judgment.remark},
                    {"why", reason_text(claim)}});
  }
  return rows;
}

}  // namespace pithball::experiments
