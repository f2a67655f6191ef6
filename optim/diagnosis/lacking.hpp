#pragma once
#include <map>
#include <string>

#include "optim/diagnosis/candidate_effect.hpp"
#include "optim/diagnosis/diagnosis.hpp"

namespace pithball::optim {

/// Part of the excess of χ² that a candidate must promise to explain for a trial, if it is not significant by itself.
inline constexpr double promising_part = 0.2;

/// Effects of the candidates that may be significant, or promise so much, by name.
using EffectsByName = std::map<std::string, CandidateEffect>;

/// θ at the end of a fit, and its bounds: P each.
struct BoundedPoint {
  Vector theta,  ///< θ
      lower,     ///< smallest
      upper;     ///< largest
};

/// Forward selection among the significant findings of exact derivatives: the one that improves the fit most is taken
/// into the model (`tester`), and the others are tested again; sets `order`, `same` and `explained`. Beyond all doubt
/// many are significant, so the likeliest and those with the largest gains are tried in runs (`TrialFit`).
///
/// Two candidates are one finding if the recordings cannot tell them apart: neither is significant beside the other,
/// by the score test of the second after the first, and because the first one's advantage in χ² after the trials is no
/// larger than one number gains by chance. Of such a group, the time step comes first, whose error is known, and then
/// what concerns the measurement: it can be checked without a model, and a force that stands for it would make the
/// estimates wrong.
///
/// Where χ² has an excess, those that promise a part of it are tried, too, though they are not significant: of a large
/// fault, what a linear step leaves is so correlated that it hides the cause, and what the trial leaves is not. Their p
/// is then that of the trial (`ScoreTester::test_trial`), for the number of all tests.
void find_lacking(const EffectsByName& effects, const BoundedPoint& at, ScoreTester& tester, Diagnosis& found);

}  // namespace pithball::optim
