#pragma once
#include <optional>
#include <string>
#include <vector>

#include "optim/observation/marker_tracks.hpp"
#include "optim/parameter/parameter_map.hpp"
#include "optim/verdict/fit_quality.hpp"

namespace pithball::optim {

/// A possible cause of a misfit, and its remedy.
struct MisfitCause {
  std::string reason,  ///< a phrase: "local minimum"
      remedy;          ///< a phrase: what to change or to test
  /// The remedy in the experiment file, "fit.starts: {count: 10}"; entries of `fit.parameters` are added to those that
  /// are there. Empty: no key is a remedy.
  std::string key;
  std::string recording;  ///< the recording whose key it is; empty: it is a key of the file
};

/// What a test without a refit says that the model of a fit or its file lacks.
struct SuspectSearch {
  std::optional<MisfitCause> cause = {};  ///< the value that explains the residuals; empty: none of those tested
  std::string untested = {};              ///< why something was not tested, in a phrase; empty: all was that had to be
};

/// What the tests for causes of a misfit use.
struct MisfitClues {
  const std::vector<diff::Scenario>& scenarios;  ///< of the fit
  const std::vector<Observation>& observations;  ///< likewise
  const ParameterMap& map;                       ///< likewise
  int starts;                                    ///< number of starts that were tried
  bool has_searched_further;                     ///< further starts were tried, and none led to a better fit
  double half_step_length;                       ///< length of the residuals at half the time step; NaN: that run fails
  const std::vector<MarkerTracks>& tracks;       ///< recorded and simulated readings, by recording
};

/// Tests for causes of a misfit, cheapest first: the unit (of positions: the extent of the markers at the start; of
/// other readings but pixels: their size compared with the simulated ones), markers whose names were exchanged
/// (marker_exchange.hpp), the time step (the residuals at half of it), the initial state (the first frame), a local
/// minimum (whether an early part fits), the placement or the zero of an instrument (whether one shift explains most),
/// and finally the model. Only causes indicated by a test are listed, then the model. Where several starts were tried,
/// the minimum is the less likely one, and comes last. For a fit that is not far off but has χ² significantly above 1,
/// only these; empty for a good fit
/// (`FitQuality::calls_for_causes`).
std::vector<MisfitCause> find_misfit_causes(const FitQuality& quality, const MisfitClues& clues);

/// An entry of `quality.causes` in fit.json.
void fields(FieldVisitor& v, MisfitCause& cause);

}  // namespace pithball::optim
