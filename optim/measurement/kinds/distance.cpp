#include "optim/measurement/kinds/distance.hpp"

namespace pithball::optim {
namespace {

/// |b − a| + zero of two points.
class DistanceInstrument final : public Instrument {
 public:
  explicit DistanceInstrument(std::vector<PointPair> pairs) : pairs_(std::move(pairs)) {}
  const MeasurementKind& kind() const override { return distance_kind(); }

  std::vector<Input> inputs(Index channel, const Input&) const override {
    return {{pairs_[channel].from}, {pairs_[channel].to}};
  }

  const char* read(const Look& look, Vec3& reading, ReadingSlope* slope) const override {
    static const Index zero = recording_frame_offset("distance_zero");
    const Vec3 apart = look.inputs.col(1) - look.inputs.col(0);
    const double length = apart.norm();
    reading[0] = length + look.viewpoint.values[zero];
    if (!slope) return nullptr;
    if (!(length > 0)) return "has two points in one place, where a distance has no derivative";
    slope->inputs.row(0) << -apart.transpose() / length, apart.transpose() / length;
    slope->frame(0, zero) = 1;
    return nullptr;
  }

 private:
  std::vector<PointPair> pairs_;
};

InstrumentSettings make_distance(KindSettings& settings, const MeasuredBody& measured) {
  settings.document("between", "list of [A, B]", "required", "for each column: two particles or groups");
  if (settings.describing()) return {};
  std::vector<PointPair> pairs;
  InstrumentSettings read;
  for (const auto& pair : settings.items("between", "", true)) {
    pairs.push_back(read_point_pair(*pair, ""));
    read.channels.push_back(pairs.back().to);
  }
  require_all_columns(settings, "between", pairs.size(), measured);
  read.instrument = make_distance_instrument(std::move(pairs));
  return read;
}

}  // namespace

const MeasurementKind& distance_kind() {
  static const MeasurementKind kind{.name = "distance",
                                    .meaning = "distances between two points of the body, plus a zero offset",
                                    .components = {"distance"},
                                    .unit = "m",
                                    .shown_unit = {"mm", 1e3},
                                    .planned_sigma = 1e-3,
                                    .own_values = {{"distance_zero", "m"}},
                                    .channels_key = "between",
                                    .make = make_distance};
  return kind;
}

std::shared_ptr<const Instrument> make_distance_instrument(std::vector<PointPair> pairs) {
  return std::make_shared<const DistanceInstrument>(std::move(pairs));
}

}  // namespace pithball::optim
