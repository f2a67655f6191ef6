#pragma once
#include <string>

#include "optim/residual/residual.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Where a search begins.
struct ChosenStart {
  Vector theta;          ///< P
  std::string sentence;  ///< which start this is and why; empty: there was no choice
};

/// The start for a search by Gauss–Newton or L-BFGS: the estimate by the weak form (`estimate_by_weak_form`) if there
/// is one and `residual`, which the search minimizes first, has a lower cost there than at the given start. Costs one
/// run at each.
ChosenStart choose_start(const ResolvedFit& fit, const Residual& residual, const Vector& given);

}  // namespace pithball::optim
