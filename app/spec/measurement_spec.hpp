#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/yaml/node.hpp"
#include "optim/measurement/measurement_kinds.hpp"
#include "optim/parameter/parameter.hpp"

namespace pithball::app {

struct Recording;

/// What the numbers of an item of `fit.recordings` are: `measurement: camera`, or {camera: settings}; positions of
/// points if it is left out.
const optim::MeasurementKind& read_measurement_kind(Node& recording);

/// Whether the channels of a kind follow `markers:`; the others say in their settings what they look at.
bool follows_markers(const optim::MeasurementKind& kind);

/// An instrument of this kind that looks at nothing: for readings without a body.
std::shared_ptr<const optim::Instrument> bare_instrument(const optim::MeasurementKind& kind);

/// Gives the recording the instrument of its kind, whose body, markers and placement are known. Complains where a
/// setting does not suit them.
void read_instrument(Node& node, Recording& recording);

/// Adds the instrument's own values that its settings leave free to the parameters of recording number `index`.
void add_free_instrument(const Recording& recording, Index index, std::vector<optim::Parameter>& parameters);

}  // namespace pithball::app
