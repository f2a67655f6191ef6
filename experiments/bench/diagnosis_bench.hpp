#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/experiment/candidate_forces.hpp"
#include "experiments/claim/claim.hpp"

namespace pithball::experiments {

/// A shortcoming of the fitted model: what the recorded body has, and the fit does not.
struct MadeFault {
  std::string name;            ///< "soft spring"; "none": the model is complete; of an addition its value
  app::IdleAddition addition;  ///< added to the recorded body, and not idle; empty: the fault is of another kind
};

/// "none", "soft spring", "heavy particle", "slipped marker", forces that the fit lacks, and faults of the measurement
/// (diagnosis_bench.cpp).
const std::vector<MadeFault>& made_faults();

/// Results of diagnosing fits to recordings with one fault.
struct DiagnosisFigures {
  int recordings = 0;
  int right_first = 0;                  ///< number of diagnoses that rank the fault first
  int alarmed = 0;                      ///< number of diagnoses in which something is significant
  int force_first = 0;                  ///< number of diagnoses that rank first what does not concern the measurement
  double runs = 0;                      ///< mean cost of a diagnosis: forward runs, tangents and adjoints
  std::vector<std::string> wrong = {};  ///< what ranked first instead: "mass[2] instead of mass[3]"
};

/// Records a chain of 20 particles, a net of 64 or a torus of 144, in turn, with 2 mm of noise and the fault in a place
/// that depends on (seed, recording), fits charge and stiffness without it, and diagnoses the fit. `progress` is called
/// with the share of recordings that are done. Throws InvalidArgument if a run fails.
DiagnosisFigures measure_diagnosis(const MadeFault& fault, int recordings, std::uint64_t seed,
                                   const std::function<void(double)>& progress);

/// What a diagnosis must find: the fault first in 16 of 20 recordings, one of the measurement in 17 and a force in
/// none; at most 8 alarms of 200 where nothing is missing (wider for few recordings), and a cost of at most 80 runs.
std::vector<Claim> diagnosis_claims(const MadeFault& fault, const DiagnosisFigures& figures);

}  // namespace pithball::experiments
