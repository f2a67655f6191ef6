#include "app/result/fit_record.hpp"

#include <algorithm>

#include "sim/core/error.hpp"

namespace pithball::app {
void fields(FieldVisitor& v, JudgedRecording& judged) {
  v.is("JudgedRecording", "errors of a recording predicted by a fit to the others");
  fields(v, judged.errors);
  v("status", judged.status, "how that fit ended");
}

void fields(FieldVisitor& v, FoundAttachment& found) {
  v.is("Attachment", "the attachment of a marker that found its own place");
  v("marker", found.marker, "as in the experiment file");
  v("vertices", found.vertices, "particles that it follows");
  v("weights", found.weights, "of each of them, with sum 1");
  v("distance", found.distance, in("m"), "distance of the marker from the body");
}

void fields(FieldVisitor& v, FittedRecording& recording) {
  v.is("FittedRecording", "results for one recording, and the names of its files");
  v("name", recording.name, "as in the experiment file");
  v("trajectory", recording.trajectory, "file of its fitted motion in the run folder");
  v("attachments", recording.attachments, "of the markers that found their own place");
  v("markers", or_null(recording.markers), "file of its markers in the run folder; null: none was recorded");
  v("fitted_values", recording.fitted_values, "by block of the model's values");
  v("sigma", recording.sigma, in("m"), "standard deviation of each component in the model's frame, by marker");
}

void fields(FieldVisitor& v, FitRecord& record) {
  v.is("FitResult", "the result of a fit");
  fields(v, record.verdict);
  fields(v, record.estimates);
  fields(v, record.goodness);
  fields(v, record.search);
  v.after_reading([&] {
    const auto is_whole = [&](const sim::Vector& row) {
      return row.size() == static_cast<Index>(record.estimates.parameters.size());
    };
    if (!std::ranges::all_of(record.search.path, is_whole))
      throw InvalidArgument({"fit.json", "path", "must have a number for each parameter", "others", "repeat the fit"});
  });
  v("findings", record.findings, "what screening found in the recordings before the search");
  v("notes", record.notes, "what else to know, one sentence each");
  v("seconds", record.seconds, in("s"), "duration of the fit");
  v.if_any("halved_step", record.halved_step, "the same fit at half the time step", "with `--halve-step`");
  v("cross_validation", record.cross_validation, "errors of each recording predicted by a fit to the others",
    only(!record.cross_validation.empty(), "with `fit.cross_validate: recordings`"));
  v("recordings", record.recordings, "in the order of the experiment file");
}

}  // namespace pithball::app
