#include "app/run_folder/optimized_design.hpp"

#include "app/base/json_text.hpp"
#include "app/run_folder/json_reading.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

ordered_json optimized_recording_json(const OptimizedRecording& recording) {
  ordered_json set = ordered_json::object();
  for (const auto& [key, value] : recording.set) set[key] = value;
  return {{"name", recording.name},
          {"rate", recording.rate},
          {"duration", recording.duration},
          {"frames", recording.frames},
          {"markers", recording.markers},
          {"set", set},
          {"measurement", recording.measurement},
          {"trajectory", recording.trajectory},
          {"table", recording.table}};
}

OptimizedRecording read_optimized_recording(const ordered_json& json) {
  OptimizedRecording recording{.name = json.at("name"),
                               .rate = json.at("rate"),
                               .duration = json.at("duration"),
                               .frames = json.at("frames"),
                               .markers = json.at("markers"),
                               .set = {},
                               .measurement = json.at("measurement"),
                               .trajectory = json.at("trajectory"),
                               .table = json.at("table")};
  for (const auto& [key, value] : json.at("set").items()) recording.set.emplace_back(key, value);
  return recording;
}

}  // namespace

ordered_json to_json(const OptimizedDesign& design) {
  ordered_json recordings = ordered_json::array(), gains = recordings;
  for (const OptimizedRecording& recording : design.recordings)
    recordings.push_back(optimized_recording_json(recording));
  for (const DesignGain& gain : design.gains)
    gains.push_back({{"parameter", gain.parameter},
                     {"unit", gain.unit},
                     {"before", number_or_null(gain.before)},
                     {"optimized", number_or_null(gain.optimized)},
                     {"ratio", number_or_null(gain.ratio())}});
  return {{"criterion", design.criterion},
          {"before", design.before},
          {"given", text_or_null(design.given)},
          {"recordings", recordings},
          {"gains", gains},
          {"waveform_gain", design.waveform_gain},
          {"runs", design.runs},
          {"evaluations", design.evaluations},
          {"notes", design.notes}};
}

OptimizedDesign read_optimized_design(const ordered_json& json) {
  OptimizedDesign design{.criterion = json.at("criterion"),
                         .before = json.at("before"),
                         .given = text_of(json.at("given")),
                         .recordings = {},
                         .gains = {},
                         .waveform_gain = json.at("waveform_gain"),
                         .runs = json.at("runs"),
                         .evaluations = json.at("evaluations"),
                         .notes = texts_below(json, "notes")};
  for (const ordered_json& recording : json.at("recordings"))
    design.recordings.push_back(read_optimized_recording(recording));
  for (const ordered_json& gain : json.at("gains"))
    design.gains.push_back(
        {gain.at("parameter"), gain.at("unit"), number_of(gain.at("before")), number_of(gain.at("optimized"))});
  return design;
}

}  // namespace pithball::app
