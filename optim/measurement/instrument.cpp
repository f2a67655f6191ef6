#include "optim/measurement/instrument.hpp"

#include "sim/core/text.hpp"

namespace pithball::optim {

std::string MeasurementKind::shown(double value) const {
  return formatted("%.3g %s", shown_factor * value, shown_unit.c_str());
}

Viewpoint::Viewpoint(const RecordingFrame& recording_frame)
    : frame(recording_frame),
      values(recording_frame.values()),
      rotation(recording_frame.rotation_matrix()),
      rotation_derivative(recording_frame.rotation_derivative()) {}

}  // namespace pithball::optim
