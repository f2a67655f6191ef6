#include "experiments/claim/claim_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/base/json_text.hpp"
#include "experiments/claim/claim.hpp"

namespace pithball::experiments {
namespace {

/// Returns the number of terminal columns of a text: one per character, which in UTF-8 may have several bytes.
std::size_t columns_of(const std::string& text) {
  return std::ranges::count_if(text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; });
}

}  // namespace

std::vector<std::string> aligned_lines(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths(lines.empty() ? 0 : lines.front().size());
  for (const std::vector<std::string>& line : lines)
    for (std::size_t k = 0; k < line.size(); ++k) widths[k] = std::max(widths[k], columns_of(line[k]));
  std::vector<std::string> texts;
  for (const std::vector<std::string>& line : lines) {
    std::string text;
    for (std::size_t k = 0; k < line.size(); ++k)
      text += line[k] + std::string(widths[k] - columns_of(line[k]) + 2, ' ');
    texts.push_back(text.erase(text.find_last_not_of(' ') + 1) + "\n");
  }
  return texts;
}

namespace {

struct Prefix {
  double size;
  const char* name;
};

/// Returns the prefix that makes a number with this unit most readable. A unit that already has a prefix (mm), or is
/// not a plain SI unit (e-13 C), stays as it is.
Prefix prefix_for(double value, const std::string& unit) {
  constexpr std::array plain{"m", "s", "C", "N", "N/m", "m/s", "rad"};
  constexpr std::array prefixes{Prefix{1, ""}, Prefix{1e-3, "m"}, Prefix{1e-6, "µ"}, Prefix{1e-9, "n"},
                                Prefix{1e-12, "p"}};
  if (std::ranges::find(plain, unit) != plain.end())
    for (const Prefix& prefix : prefixes)
      if (std::abs(value) >= 0.9995 * prefix.size) return prefix;
  return prefixes.front();
}

/// Returns four digits, which suffice for a comparison, but all digits of a count.
std::string digits_of(double value) {
  const bool whole = value == std::round(value) && std::abs(value) < 1e9;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

/// "5.29 ± 0.17 pC", without the spread if it is NaN or 0. If the value is 0, the spread determines the prefix.
std::string quantity_text(double value, double spread, const std::string& unit) {
  const Prefix prefix = prefix_for(value == 0 && std::isfinite(spread) ? spread : value, unit);
  std::string text = digits_of(value / prefix.size);
  if (std::isfinite(spread) && spread != 0) {
    const double shown = spread / prefix.size;
    text += shown < 100 ? fmt::format(" ± {:.2g}", shown) : " ± " + digits_of(shown);
  }
  return unit.empty() ? text : fmt::format("{} {}{}", text, prefix.name, unit);
}

std::string value_text(const ClaimValue& value, double spread, const std::string& unit) {
  if (const double* number = std::get_if<double>(&value))
    return std::isfinite(*number) ? quantity_text(*number, spread, unit) : "none";
  const std::string* word = std::get_if<std::string>(&value);
  return word ? *word : "none";
}

}  // namespace

std::string measured_text(const Claim& claim) { return value_text(claim.measured, claim.error, claim.unit); }

std::string expected_text(const Claim& claim) {
  const double spread = claim.kind == ClaimKind::Within ? claim.tolerance : 0;
  const std::string text = value_text(claim.expected, spread, claim.unit);
  switch (claim.kind) {
    case ClaimKind::NotStated:
      return "not stated";
    case ClaimKind::AtMost:
      return "at most " + text;
    case ClaimKind::AtLeast:
      return "at least " + text;
    case ClaimKind::BetterThan:
      return fmt::format("{} ({})", std::holds_alternative<double>(claim.expected) ? "less than " + text : "none",
                         claim.rival);
    case ClaimKind::Within:
    case ClaimKind::Word:
      break;
  }
  return text;
}

std::string verdict_text(const Claim& claim) {
  const Judgment judgment = judge(claim);
  const std::string verdict = judgment.verdict == Verdict::Missed ? "MISSED" : to_string(judgment.verdict);
  return judgment.remark.empty() ? verdict : verdict + ": " + judgment.remark;
}

const std::string& reason_text(const Claim& claim) { return claim.differs.empty() ? claim.why : claim.differs; }

std::map<std::string, int> count_verdicts(const std::vector<ClaimGroup>& groups) {
  std::map<std::string, int> counts;
  for (const ClaimGroup& group : groups)
    for (const Claim& claim : group.claims) ++counts[to_string(judge(claim).verdict)];
  return counts;
}

std::string table_of_claims(const std::vector<ClaimGroup>& groups) {
  std::vector<std::vector<std::string>> lines{{"claim", "measured", "expected", "verdict", "why"}};
  for (const ClaimGroup& group : groups)
    for (const Claim& claim : group.claims)
      lines.push_back(
          {"  " + claim.what, measured_text(claim), expected_text(claim), verdict_text(claim), reason_text(claim)});
  if (lines.size() == 1) return "";
  const std::vector<std::string> texts = aligned_lines(lines);

  std::string text = texts[0];
  std::size_t next = 1;
  for (const ClaimGroup& group : groups) {
    if (!group.title.empty()) text += group.title + "\n";
    for (std::size_t k = 0; k < group.claims.size(); ++k) text += texts[next++];
  }
  std::string counts;
  for (const auto& [verdict, count] : count_verdicts(groups))
    counts += fmt::format("{}{} {}", counts.empty() ? "" : "; ", count, verdict);
  return text + fmt::format("claims: {}\n", counts);
}

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
