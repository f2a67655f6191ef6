#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace pithball::experiments::paper {

/// How a claim's number and ours are compared.
enum class ClaimKind {
  AtMost,     ///< ours must not exceed it
  AtLeast,    ///< ours must not fall below it
  About,      ///< ours must lie within a share of it
  Is,         ///< ours must be this word: a status
  Beats,      ///< no claim of the paper's, but of ours: less than the paper's own method has in the same runs
  NotStated,  ///< the paper shows it without a number that was at hand; ours stands alone
};

/// A sentence of the paper that a run can bear out or not.
struct Claim {
  std::string says;  ///< the claim in our words
  ClaimKind kind = ClaimKind::NotStated;
  double number = 0;        ///< of AtMost, AtLeast and About, in `unit`
  double within = 0;        ///< of About: the largest |ours/number − 1| that agrees
  std::string word;         ///< of Is
  std::string rival;        ///< of Beats: where the number of the paper's own method stands (find_result)
  std::string unit;         ///< SI; empty: none
  std::string find;         ///< where ours stands in the results of the item's runs (find_result)
  std::string over;         ///< where a number stands by which it is divided; empty: by none
  std::string why;          ///< what the agreement or difference comes from
  bool whole_only = false;  ///< judged in the whole variant only
};

enum class Verdict { Agrees, Better, Differs, NotComparable, Skipped };

/// "agrees", "better", "differs", "not comparable", "skipped".
const char* to_string(Verdict verdict);

/// A claim beside what was found.
struct Finding {
  nlohmann::ordered_json paper;  ///< number or word that ours is held against; null: not stated
  nlohmann::ordered_json ours;   ///< number or word; null: the run has none, because it failed
  Verdict verdict = Verdict::NotComparable;
  std::string remark;    ///< "15 times less"; why something was skipped
  bool missing = false;  ///< the results do not hold what the claim names: the list is wrong
};

/// Holds a claim against the results of its item's runs, {run: result}. A null there, as a diverged run leaves it,
/// differs from whatever the paper states. Of Beats, ours is better where it is less, and agrees within 5 %.
Finding judge(const Claim& claim, const nlohmann::ordered_json& results);

/// A claim that is not judged, and why: "needs the whole run".
Finding skip(const Claim& claim, const std::string& why);

/// What the paper states, for people: "at most 0.15", "80 µC", "diverged", "not stated".
std::string paper_text(const Claim& claim, const Finding& finding);
/// What we found, likewise; "none" where the run has no number.
std::string our_text(const Claim& claim, const Finding& finding);
/// The verdict with its remark: "better: 15 times less".
std::string verdict_text(const Finding& finding);

}  // namespace pithball::experiments::paper
