#include "optim/diagnosis/candidate_effect.hpp"

#include "sim/core/error.hpp"

namespace pithball::optim {

Evaluation run_changed(const CandidateEffect& effect, const Vector& theta, const Vector& beta, Vector& r) {
  try {
    return effect.run(theta, beta, r);
  } catch (const InvalidArgument& error) {
    return {error.what()};
  }
}

}  // namespace pithball::optim
