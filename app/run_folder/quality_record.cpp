#include "app/run_folder/quality_record.hpp"

#include "app/base/json_text.hpp"
#include "app/run_folder/json_reading.hpp"

namespace pithball::app {

using nlohmann::ordered_json;

ordered_json to_json(const QualityRecord& quality) {
  ordered_json recordings = ordered_json::array(), causes = ordered_json::array();
  for (const MisfitRecord& one : quality.recordings)
    recordings.push_back({{"recording", one.recording},
                          {"misfit", number_or_null(one.misfit)},
                          {"noise", number_or_null(one.noise)},
                          {"motion", number_or_null(one.motion)},
                          {"misfit_over_noise", number_or_null(one.misfit / one.noise)},
                          {"fits", one.fits},
                          {"tracks", one.tracks},
                          {"measurement", one.measurement}});
  for (const optim::MisfitCause& cause : quality.causes)
    causes.push_back({{"reason", cause.reason}, {"remedy", cause.remedy}});
  return {{"chi_square", number_or_null(quality.chi_square)},
          {"degrees_of_freedom", quality.degrees_of_freedom},
          {"reduced_chi_square", number_or_null(quality.reduced_chi_square)},
          {"tolerance", number_or_null(quality.tolerance)},
          {"sigma_is_scatter", quality.sigma_is_scatter},
          {"fits", quality.fits},
          {"recordings", recordings},
          {"causes", causes}};
}

QualityRecord read_quality(const ordered_json& json) {
  QualityRecord quality;
  quality.chi_square = number_of(json.at("chi_square"));
  quality.degrees_of_freedom = json.at("degrees_of_freedom");
  quality.reduced_chi_square = number_of(json.at("reduced_chi_square"));
  quality.tolerance = number_of(json.at("tolerance"));
  quality.sigma_is_scatter = json.at("sigma_is_scatter");
  quality.fits = json.at("fits");
  for (const ordered_json& one : json.at("recordings"))
    quality.recordings.push_back({one.at("recording"), number_of(one.at("misfit")), number_of(one.at("noise")),
                                  number_of(one.at("motion")), one.at("fits"), one.at("tracks"),
                                  one.value("measurement", "point")});
  for (const ordered_json& cause : json.at("causes"))
    quality.causes.push_back({cause.at("reason"), cause.at("remedy")});
  return quality;
}

}  // namespace pithball::app
