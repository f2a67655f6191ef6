#pragma once
#include <string>
#include <vector>

#include "optim/fit/problem.hpp"
#include "optim/identity/detections.hpp"
#include "optim/identity/identity_report.hpp"

namespace pithball::optim {

/// The identities of the detections of a fit.
struct FoundIdentities {
  std::vector<Observation> observations;        ///< of all recordings: those whose identities were open are labelled
  std::vector<RecordingIdentities> recordings;  ///< those whose identities were open, in order
  EvaluationCounts evaluations;                 ///< of all searches
  int rounds = 0;                               ///< E steps of the result
};

/// Finds which detection is which particle, together with the parameters, by expectation maximization: the E step
/// computes the probabilities of all assignments for the motion at θ (assignment_model.hpp), the M step is a search of
/// the same problem with weighted means (labelled_observation.hpp). It begins at a robust fit to the tracks that were
/// linked without the model, with standard deviations as wide as its residuals, which are halved from round to round;
/// with covariances that are too small from the start, wrong assignments confirm themselves (Willett, Ruan & Streit,
/// IEEE Trans. Aerosp. Electron. Syst. 38, 2002). It ends when no detection changes its particle.
///
/// Further starts: the first quarter of the tracks, if half of what should be seen is not assigned; and each of the
/// first three pairs of markers that the first frame leaves open, exchanged. The largest likelihood counts; a pair
/// whose exchange is worse by less than 25 in 2 ln Λ, or was not tried, stays open; one that the search undoes is
/// excluded.
///
/// `detections`: one for each recording of the problem, whose observations have the markers of all of them; those with
/// known identities are used as they are. The result depends neither on the order of the detections nor on the number
/// of threads. If it is stopped, the linked tracks are the result. Throws InvalidArgument if a search fails, or no
/// point belongs to a particle.
FoundIdentities find_identities(const FitProblem& problem, const std::vector<Detections>& detections,
                                const MinimizerWatch& watch = {});

}  // namespace pithball::optim
