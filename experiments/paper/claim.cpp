#include "experiments/paper/claim.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "experiments/paper/result_path.hpp"

namespace pithball::experiments::paper {
namespace {

using nlohmann::ordered_json;

constexpr double as_good = 0.05;  // numbers of two methods that differ by less are taken as equal

/// "80 µC", "0.102"; three digits are what a reader compares.
std::string quantity_text(double value, const std::string& unit) {
  if (unit.empty()) return fmt::format("{:.3g}", value);
  constexpr std::array<std::pair<double, const char*>, 5> prefixes{
      {{1, ""}, {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}, {1e-12, "p"}}};
  for (const auto& [size, prefix] : prefixes)
    if (std::abs(value) >= 0.9995 * size) return fmt::format("{:.3g} {}{}", value / size, prefix, unit);
  return fmt::format("{:.3g} {}", value, unit);
}

std::string value_text(const ordered_json& value, const std::string& unit) {
  if (value.is_number()) return quantity_text(value.get<double>(), unit);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Verdict verdict_if(bool agrees) { return agrees ? Verdict::Agrees : Verdict::Differs; }

/// The verdict on a number of ours against the number in finding.paper.
void compare_numbers(const Claim& claim, double ours, Finding& finding) {
  const double paper = finding.paper.get<double>();
  switch (claim.kind) {
    case ClaimKind::AtMost:
      finding.verdict = verdict_if(ours <= paper);
      break;
    case ClaimKind::AtLeast:
      finding.verdict = verdict_if(ours >= paper);
      break;
    case ClaimKind::About:
      finding.verdict = verdict_if(std::abs(ours - paper) <= claim.within * std::abs(paper));
      break;
    case ClaimKind::Beats:
      if (std::abs(ours - paper) <= as_good * std::abs(paper)) {
        finding.verdict = Verdict::Agrees;
      } else {
        finding.verdict = ours < paper ? Verdict::Better : Verdict::Differs;
        finding.remark = ours < paper ? fmt::format("{:.3g} times less", paper / ours)
                                      : fmt::format("{:.3g} times more", ours / paper);
      }
      break;
    case ClaimKind::Is:
    case ClaimKind::NotStated:
      break;
  }
}

/// What the results hold at a path; notes what they do not hold.
const ordered_json* look_up(const ordered_json& results, const std::string& path, Finding& finding) {
  const ordered_json* found = find_result(results, path);
  if (!found || found->is_structured()) {
    finding.missing = true;
    finding.remark = fmt::format("the results hold no value at {}", path);
    return nullptr;
  }
  return found;
}

/// What the paper states, as far as no run is needed to know it.
ordered_json stated(const Claim& claim) {
  if (claim.kind == ClaimKind::Is) return claim.word;
  if (claim.kind == ClaimKind::AtMost || claim.kind == ClaimKind::AtLeast || claim.kind == ClaimKind::About)
    return claim.number;
  return nullptr;
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::Agrees:
      return "agrees";
    case Verdict::Better:
      return "better";
    case Verdict::Differs:
      return "differs";
    case Verdict::NotComparable:
      return "not comparable";
    case Verdict::Skipped:
      return "skipped";
  }
  return "";
}

Finding judge(const Claim& claim, const ordered_json& results) {
  Finding finding;
  finding.paper = stated(claim);
  const ordered_json* ours = look_up(results, claim.find, finding);
  if (!ours) return finding;
  finding.ours = *ours;
  if (!claim.over.empty()) {
    const ordered_json* divisor = look_up(results, claim.over, finding);
    if (!divisor) return finding;
    const bool numbers = ours->is_number() && divisor->is_number() && divisor->get<double>() != 0;
    finding.ours = numbers ? ordered_json(ours->get<double>() / divisor->get<double>()) : ordered_json(nullptr);
  }
  if (claim.kind == ClaimKind::Beats) {
    const ordered_json* rival = look_up(results, claim.rival, finding);
    if (!rival) return finding;
    finding.paper = *rival;
  }
  if (claim.kind == ClaimKind::NotStated) return finding;
  if (claim.kind == ClaimKind::Is) {
    finding.verdict = verdict_if(value_text(finding.ours, "") == claim.word);
  } else if (!finding.ours.is_number()) {
    finding.verdict = Verdict::Differs;
  } else if (finding.paper.is_number()) {
    compare_numbers(claim, finding.ours.get<double>(), finding);
  } else {  // the paper's own method failed where ours did not
    finding.verdict = Verdict::Better;
    finding.remark = "its method has none";
  }
  return finding;
}

Finding skip(const Claim& claim, const std::string& why) {
  Finding finding;
  finding.paper = stated(claim);
  finding.verdict = Verdict::Skipped;
  finding.remark = why;
  return finding;
}

std::string paper_text(const Claim& claim, const Finding& finding) {
  if (claim.kind == ClaimKind::Beats)
    return (finding.paper.is_null() ? "none" : value_text(finding.paper, claim.unit)) + " (its method, here)";
  if (finding.paper.is_null()) return "not stated";
  const std::string text = value_text(finding.paper, claim.unit);
  if (claim.kind == ClaimKind::AtMost) return "at most " + text;
  if (claim.kind == ClaimKind::AtLeast) return "at least " + text;
  return text;
}

std::string our_text(const Claim& claim, const Finding& finding) {
  return finding.ours.is_null() ? "none" : value_text(finding.ours, claim.unit);
}

std::string verdict_text(const Finding& finding) {
  return finding.remark.empty() ? to_string(finding.verdict)
                                : fmt::format("{}: {}", to_string(finding.verdict), finding.remark);
}

}  // namespace pithball::experiments::paper
