#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/spec/body.hpp"
#include "app/yaml/node.hpp"
#include "datasets/capture/capture.hpp"
#include "optim/measurement/measurement_kinds.hpp"
#include "optim/observation/observation.hpp"

namespace pithball::app {

/// What the numbers of an item of `fit.recordings` are: `measurement: camera`, or {camera: settings}; positions of
/// points if it is left out.
const optim::MeasurementKind& read_measurement_kind(Node& recording);

/// `scale` of the item as written: one unit of the file in that of the kind; 1 without it.
double read_file_unit(Node& recording, const optim::MeasurementKind& kind);

/// Whether the channels of a kind follow `markers:`; the others say in their settings what they measure.
bool follows_markers(const optim::MeasurementKind& kind);

/// A capture as an observation of a kind: one marker for each column, attached to nothing.
optim::Observation observe(const datasets::Capture& capture, const optim::MeasurementKind& kind);

/// What the settings of a measurement kind refer to.
struct MeasuredBody {
  const Body& body;                           ///< whose particles and groups they name
  const sim::Model& model;                    ///< of its motion
  const std::vector<std::string>& columns;    ///< names of the recorded channels
  const std::vector<optim::Marker>& markers;  ///< of `markers:`
  const std::vector<Points>& readings;        ///< by frame, as recorded
  bool moves_camera = false;                  ///< the fit changes the position of the recording's frame of reference
};

/// What the settings of a measurement kind give a recording.
struct InstrumentSettings {
  std::shared_ptr<const optim::Instrument> instrument = {};     ///< null: positions
  std::vector<optim::Marker> markers = {};                      ///< channels of kinds that do not follow `markers:`
  std::vector<std::pair<std::string, double>> own_values = {};  ///< values of the instrument
  std::vector<std::string> free_own_values = {};                ///< those that the fit changes
  std::array<std::optional<double>, 2> flipped = {};  ///< components counted from the other end of this length
  std::vector<std::string> doubts = {};               ///< what the recording does not determine of it
};

/// Reads the settings of a kind, `measurement: {KIND: settings}`. Throws InvalidArgument where they do not suit the
/// body.
InstrumentSettings read_instrument(Node& recording, const optim::MeasurementKind& kind, const MeasuredBody& measured);

}  // namespace pithball::app
