#include "optim/verdict/run_verdict.hpp"

#include <algorithm>

namespace pithball::optim {
namespace {

std::string joined_by_semicolon(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() || first == second ? std::max(first, second) : first + "; " + second;
}

}  // namespace

void RunVerdict::doubt(const std::string& reason, const std::string& cure) {
  if (grade() == Grade::Bad) return;
  if (status != RunStatus::NotUnique) status = RunStatus::Doubtful;
  why = joined_by_semicolon(why, reason);
  remedy = joined_by_semicolon(remedy, cure);
}

void RunVerdict::leave_open(const std::string& reason, const std::string& cure) {
  if (grade() == Grade::Bad) return;
  status = RunStatus::NotUnique;
  why = joined_by_semicolon(reason, why);
  remedy = joined_by_semicolon(cure, remedy);
}

void RunVerdict::fail(RunStatus failed_as, const std::string& reason, const std::string& cure) {
  if (grade() == Grade::Bad) return;
  status = failed_as;
  why = joined_by_semicolon(reason, why);
  remedy = joined_by_semicolon(cure, remedy);
}

void RunVerdict::question(const std::string& reason, const std::string& cure) {
  if (grade() == Grade::Good) status = RunStatus::Doubtful;
  why = joined_by_semicolon(reason, why);
  remedy = joined_by_semicolon(cure, remedy);
}

std::string RunVerdict::explanation() const { return joined_by_semicolon(why, remedy); }

void fields(FieldVisitor& v, RunVerdict& verdict) {
  std::string word = to_string(verdict.status);
  v("status", word, "how the search ended, or why its result is doubtful");
  v.after_reading([&] { verdict.status = find_run_status(word); });
  v("why", or_null(verdict.why), "why the status is not a good one; null: it is");
  v("remedy", or_null(verdict.remedy), "what to change; null: nothing");
}

}  // namespace pithball::optim
