#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/bench/coverage_cases.hpp"
#include "experiments/claim/claim.hpp"

namespace pithball::experiments {

/// How each coordinate of a recording is spoilt, frame f and marker m:
///    e_f = ρ e_{f−1} + √(1 − ρ²) (own noise + noise that all markers share),
/// and occasionally a jump that lasts one frame.
struct RecordingNoise {
  double own = 2e-3;       ///< standard deviation, in the unit of the measurement (positions: m)
  double common = 0;       ///< likewise, of what all markers of a frame share
  double persistence = 0;  ///< ρ, 0 ≤ ρ < 1
  double outliers = 0;     ///< probability that a marker jumps in a frame, by 50 mm in each coordinate
};

/// How often and how long a motion is recorded, and by how many recordings of one fit.
struct Filming {
  double rate = 50;      ///< frames a second
  int frames = 0;        ///< number of frames; 0: as long as the body's motion
  int recordings = 1;    ///< of bodies whose first wanted value differs from one to the next
  double differing = 0;  ///< standard deviation of that value, as a part of it
};

/// Recordings that are made and fitted repeatedly, and the required share of their 95 % intervals that contain the
/// truth.
struct CoverageCase {
  std::string name;
  std::string body;       ///< of `coverage_bodies`
  std::string recording;  ///< what the item of `fit.recordings` says besides its file
  std::string loss;       ///< `fit.residual.loss`
  RecordingNoise noise;
  double least = 0.92, most = 0.99;
  /// Nothing is wrong with fit or recording: any note or doubt is then a false alarm.
  bool is_flawless = false;
  std::string measurement = {};  ///< settings of the planned recording; empty: positions of all particles
  Filming filming = {};
  const RecordingFault* fault = nullptr;  ///< null: none
};

/// "chain", "net", "charges", "charged chain": bodies of a few markers that fall, each with two or three values to be
/// found.
const std::vector<std::string>& coverage_bodies();

/// Starts that are known, free, taken from the recording and registered; noise that is white, common to the markers,
/// colored, and full of outliers; few frames; recordings that differ; every fault of `recording_faults`; and every
/// measurement kind with white noise.
const std::vector<CoverageCase>& coverage_cases();

/// Results of the fits of one case.
struct CoverageFigures {
  int recordings = 0, converged = 0;
  int alarmed = 0;                      ///< fits with a note or with another status than "converged"
  int named = 0;                        ///< fits that name the fault, or that recordings contradict each other
  std::map<std::string, int> statuses;  ///< number of fits by the status of their verdict
  std::vector<std::string> parameters;
  std::vector<int> held;         ///< by parameter: intervals that hold the truth
  std::string first_alarm = {};  ///< of the first recording that had one

  double coverage(std::size_t parameter) const;
  /// Number of fits with this status.
  int count(const std::string& status) const;
};

/// Records the body once, spoils the recording `recordings` times by noise that depends on (seed, recording) alone, and
/// fits each. `progress` is called with the share of fits made. Throws InvalidArgument if the body's run fails.
CoverageFigures measure_coverage(const CoverageCase& wanted, int recordings, std::uint64_t seed,
                                 const std::function<void(double)>& progress);

/// Claims of a case: between `least` and `most` of the intervals contain the truth, where these limits widen with the
/// scatter of a share of few recordings; and a flawless case raises no alarm.
std::vector<Claim> coverage_claims(const CoverageCase& wanted, const CoverageFigures& figures);

}  // namespace pithball::experiments
