#include "optim/verdict/run_verdict.hpp"

#include <algorithm>
#include <string_view>

namespace pithball::optim {
namespace {

using enum RunStatus;

constexpr RunStatusInfo statuses[] = {
    {Ok, "ok", Grade::Good, 0, "it completed", ""},
    {Converged, "converged", Grade::Good, 0, "the search of a fit converged, and the model fits", "converged {}"},
    {Predicted, "predicted", Grade::Good, 0, "a fit without parameters compared its recordings",
     "converged {} and is \"predicted\""},
    {Passed, "passed", Grade::Good, 0, "a gradient check passed", ""},
    {Complete, "complete", Grade::Good, 0, "all of several runs are done", ""},
    {Doubtful, "doubtful", Grade::Doubtful, 0, "it completed, but a check says that its numbers may be wrong",
     "converged {} and is doubtful"},
    {NotUnique, "not unique", Grade::Doubtful, 0, "several estimates of a fit fit equally well",
     "converged {} and is \"not unique\""},
    {CannotBeJudged, "cannot be judged", Grade::Doubtful, 0,
     "the search of a fit converged, but nothing says whether the model fits: the noise is unknown",
     "converged {}, but whether the model fits cannot be judged"},
    {DoesNotFit, "does not fit", Grade::Bad, 1, "the search of a fit converged, but the model does not fit",
     "converged {} but does not fit"},
    {MaxIterations, "max_iterations", Grade::Bad, 1, "a fit reached `fit.max_iterations` before it converged",
     "ended {}, before it converged"},
    {Stalled, "stalled", Grade::Bad, 1, "the cost of a fit no longer decreased", "stalled {}"},
    {Stopped, "stopped", Grade::Bad, 1, "a fit was interrupted", "was stopped {}"},
    {Failed, "failed", Grade::Bad, 1, "it could not be done", "failed"},
    {Diverged, "diverged", Grade::Bad, 1,
     "a position or velocity is not finite or far outside, or the steps made 100,000 times the energy of the motion",
     ""},
    {NotConverged, "not_converged", Grade::Bad, 1,
     "an implicit step could not be solved, or no substep of an adaptive integrator reached its tolerance", ""},
    {Interrupted, "interrupted", Grade::Bad, 1, "a simulation was interrupted", ""},
    {Incomplete, "incomplete", Grade::Bad, 1, "the run is still in progress or was killed", ""},
    {ReferenceFailed, "reference failed", Grade::Bad, 1, "the reference of a comparison failed", ""},
    {ReferenceTooCoarse, "reference too coarse", Grade::Bad, 0, "the reference of a comparison is not fine enough", ""},
    {NotSimulated, "not simulated", Grade::Bad, 1, "the model of a prediction could not be simulated", ""},
    {Unknown, "unknown", Grade::Bad, 1, "of another version", ""},
};

}  // namespace

std::string to_string(Grade grade) {
  return grade == Grade::Good ? "good" : grade == Grade::Doubtful ? "doubtful" : "bad";
}

std::span<const RunStatusInfo> run_statuses() { return statuses; }

const RunStatusInfo& info(RunStatus status) { return *std::ranges::find(statuses, status, &RunStatusInfo::status); }

std::string to_string(RunStatus status) { return info(status).word; }

RunStatus find_run_status(const std::string& word) {
  const auto found = std::ranges::find_if(statuses, [&](const RunStatusInfo& one) { return one.word == word; });
  return found == std::end(statuses) ? Unknown : found->status;
}

Grade grade_of(const std::string& word) { return info(find_run_status(word)).grade; }

namespace {

constexpr std::string_view between = "; ";

/// The phrases of both, each once.
std::string joined_by_semicolon(const std::string& first, const std::string& second) {
  std::string joined;
  for (std::string_view rest : {std::string_view(first), std::string_view(second)})
    while (!rest.empty()) {
      const std::size_t end = rest.find(between);
      const std::string_view phrase = rest.substr(0, end);
      rest = end == rest.npos ? std::string_view() : rest.substr(end + between.size());
      const std::string known = std::string(between) + joined + std::string(between);
      if (known.find(std::string(between) + std::string(phrase) + std::string(between)) == known.npos)
        joined += (joined.empty() ? "" : std::string(between)) + std::string(phrase);
    }
  return joined;
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

std::string RunVerdict::reason() const { return why.substr(0, why.find(between)); }

std::string RunVerdict::explanation() const { return joined_by_semicolon(why, remedy); }

void fields(FieldVisitor& v, RunVerdict& verdict) {
  std::string word = to_string(verdict.status);
  v("status", word, "how the search ended, or why its result is doubtful");
  v.after_reading([&] { verdict.status = find_run_status(word); });
  v("why", or_null(verdict.why), "why the status is not a good one; null: it is");
  v("remedy", or_null(verdict.remedy), "what to change; null: nothing");
}

}  // namespace pithball::optim
