#include "app/run/run_verdict.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace pithball::app {
namespace {

std::string joined_by_semicolon(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() || first == second ? std::max(first, second) : first + "; " + second;
}

}  // namespace

std::string to_string(Grade grade) {
  return grade == Grade::Good ? "good" : grade == Grade::Doubtful ? "doubtful" : "bad";
}

Grade grade_of(const std::string& status) {
  constexpr std::array<std::string_view, 5> good{"ok", "converged", predicted, "passed", "complete"};
  if (std::ranges::find(good, status) != good.end()) return Grade::Good;
  return status == "doubtful" || status == not_unique ? Grade::Doubtful : Grade::Bad;
}

void RunVerdict::doubt(const std::string& reason, const std::string& cure) {
  if (grade() == Grade::Bad) return;
  if (status != not_unique) status = "doubtful";
  why = joined_by_semicolon(why, reason);
  remedy = joined_by_semicolon(remedy, cure);
}

void RunVerdict::leave_open(const std::string& reason, const std::string& cure) {
  if (grade() == Grade::Bad) return;
  status = not_unique;
  why = joined_by_semicolon(reason, why);
  remedy = joined_by_semicolon(cure, remedy);
}

void RunVerdict::fail(const std::string& failed_as, const std::string& reason, const std::string& cure) {
  if (grade() == Grade::Bad) return;
  status = failed_as;
  why = joined_by_semicolon(reason, why);
  remedy = joined_by_semicolon(cure, remedy);
}

void RunVerdict::question(const std::string& reason, const std::string& cure) {
  if (grade() == Grade::Good) status = "doubtful";
  why = joined_by_semicolon(reason, why);
  remedy = joined_by_semicolon(cure, remedy);
}

std::string RunVerdict::explanation() const { return joined_by_semicolon(why, remedy); }

}  // namespace pithball::app
