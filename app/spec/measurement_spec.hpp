#pragma once
#include "app/spec/body.hpp"
#include "app/yaml/node.hpp"
#include "datasets/capture/capture.hpp"
#include "optim/measurement/kind_settings.hpp"
#include "optim/measurement/measurement_kinds.hpp"
#include "optim/observation/observation.hpp"

namespace pithball::app {

/// What the numbers of an item of `fit.recordings` are: `measurement: camera`, or {camera: settings}; positions of
/// points if it is left out.
const optim::MeasurementKind& read_measurement_kind(Node& recording);

/// `scale` of the item as written: one unit of the file in that of the kind; 1 without it.
double read_file_unit(Node& recording, const optim::MeasurementKind& kind);

/// A capture as an observation of a kind: one marker for each column, attached to nothing.
optim::Observation observe(const datasets::Capture& capture, const optim::MeasurementKind& kind);

/// Reads the settings of a kind, `measurement: {KIND: settings}`, which name particles and groups of the body. Throws
/// InvalidArgument where they do not suit it.
optim::InstrumentSettings read_instrument(Node& recording, const optim::MeasurementKind& kind, const Body& body,
                                          const optim::MeasuredBody& measured);

}  // namespace pithball::app
