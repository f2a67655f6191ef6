#include "app/result/fit_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sim/core/error.hpp"

namespace pithball::app {

std::string RecordingFinding::remedy() const {
  const std::string accept = fmt::format("`accept_findings: [{}]`", optim::to_string(finding.kind));
  if (finding.kind == optim::FindingKind::Outlier)
    return fmt::format("write `{}` below `fit`, or {} in recording '{}' if it is meant as it is", finding.key, accept,
                       recording);
  return finding.key.empty() ? fmt::format("write {} in recording '{}' if this is meant", accept, recording)
                             : fmt::format("write `{}` in recording '{}', or {} if it is meant as it is", finding.key,
                                           recording, accept);
}

std::vector<RecordingFinding> open_faults(const std::vector<RecordingFinding>& findings) {
  std::vector<RecordingFinding> open;
  std::ranges::copy_if(findings, std::back_inserter(open), &RecordingFinding::is_open_fault);
  return open;
}

void fields(FieldVisitor& v, RecordingFinding& one) {
  optim::Finding& finding = one.finding;
  v.is("Finding", "what screening found in a recording before the search");
  v("recording", one.recording, "as in the experiment file");
  v("kind", as_word(finding.kind, optim::finding_kinds), "what it is");
  v.computed(
      "fault", [&] { return optim::is_fault(finding.kind); },
      "whether it makes the fit doubtful until the file answers it");
  v("answered", one.answered, "whether the file accepts it, or has the key that it names");
  v("marker", or_null(finding.marker), "name of the marker; null: the whole recording");
  v("frames", finding.frames, "numbers of the frames concerned; empty: all");
  v("number", finding.number, "the size that shows it, whose meaning and unit are in the sentence");
  v("sentence", finding.sentence, "what was found, in a sentence");
  v("key", or_null(finding.key), "what answers it in the experiment file; null: nothing is needed");
}

namespace {

using sim::Index;
using sim::ValueOwner;
using sim::Vector;

constexpr ValueOwner value_owners[] = {ValueOwner::Particle, ValueOwner::Spring, ValueOwner::Term};

std::string owners_word(ValueOwner owner) {
  return owner == ValueOwner::Particle ? "particles" : owner == ValueOwner::Spring ? "springs" : "force";
}

}  // namespace

bool FittedValues::vary() const {
  return estimates.minCoeff<Eigen::PropagateNumbers>() < estimates.maxCoeff<Eigen::PropagateNumbers>();
}

std::vector<FittedValues> find_fitted_values(const optim::ParameterMap& map, const diff::Scenario& fitted,
                                             Index scenario) {
  std::vector<FittedValues> found;
  const sim::Values& values = fitted.model.values();
  for (Index k = 0; k < static_cast<Index>(values.blocks().size()); ++k) {
    const sim::ValueBlock& block = values.block(k);
    FittedValues touched{k, block.name, block.unit, block.owner, Vector::Constant(block.size, NAN)};
    bool any = false;
    for (const optim::ParameterEntry& entry : map.entries(scenario)) {
      const Index i = entry.index - block.offset;
      if (i < 0 || i >= block.size) continue;
      touched.estimates[i] = values[k][i];
      any = true;
    }
    if (any) found.push_back(std::move(touched));
  }
  return found;
}

void fields(FieldVisitor& v, FittedValues& fitted) {
  v.is("FittedValues", "estimates for one block of a recording's model");
  v("value", fitted.value, "name of the block: \"charge\"");
  v("unit", fitted.unit, "unit of the estimates, in base units of SI");
  v("of", Word<ValueOwner>{fitted.of, {std::begin(value_owners), std::end(value_owners)}, owners_word},
    "what its entries belong to");
  v("block", fitted.block, "number of the block");
  v("estimates", OneOrMany{fitted.estimates}, in("of the block"),
    "one for each entry, null where it was not fitted, or one number for all");
}

FittedValues spread_over(const sim::Model& model, const FittedValues& stored) {
  const sim::Values& values = model.values();
  const Index k = stored.block, count = stored.estimates.size();
  const bool known = k >= 0 && k < static_cast<Index>(values.blocks().size()) && values.block(k).name == stored.value;
  if (!known || (count != 1 && count != values.block(k).size))
    throw InvalidArgument({"fit.json", "fitted_values", "must contain the values of the experiment in run.yaml",
                           "others, of '" + stored.value + "'", "repeat the fit"});
  const sim::ValueBlock& block = values.block(k);
  FittedValues fitted{k, block.name, block.unit, block.owner, stored.estimates};
  if (count == 1) fitted.estimates = Vector::Constant(block.size, stored.estimates[0]);
  return fitted;
}

sim::Model with_fitted_values(const sim::Model& model, const std::vector<FittedValues>& fitted) {
  Vector data = model.values().data();
  for (const FittedValues& values : fitted) {
    auto block = model.values().of(data, values.block);
    block = values.estimates.array().isNaN().select(block, values.estimates);
  }
  return model.with_values(data);
}

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

void fields(FieldVisitor& v, FittedCamera& camera) {
  v.is("FittedCamera", "where a camera stood in the fit, in the model's frame");
  v("position", camera.position, in("m"), "of its center");
  v("right", camera.right, "direction of the picture, of length 1");
  v("down", camera.down, "likewise");
  v("ahead", camera.ahead, "into the scene, of length 1");
  v("half_width", camera.half_width,
    "tangent of half the angle of view across, if the principal point is in the middle of the picture");
  v("half_height", camera.half_height,
    "tangent of half the angle of view down, if the principal point is in the middle of the picture");
}

void fields(FieldVisitor& v, FittedRecording& recording) {
  v.is("FittedRecording", "results for one recording, and the names of its files");
  v("name", recording.name, "as in the experiment file");
  v("trajectory", recording.trajectory, "file of its fitted motion in the run folder");
  v("attachments", recording.attachments, "of the markers that found their own place");
  v("markers", or_null(recording.markers), "file of its markers in the run folder; null: none was recorded");
  v("fitted_values", recording.fitted_values, "by block of the model's values");
  v("sigma", recording.sigma, in("m"), "standard deviation of each component in the model's frame, by marker");
  v("camera", recording.camera, "that filmed it; null: none did, or one without perspective");
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
  v("identities", record.identities, "of the recordings whose identities the fit found",
    only(!record.identities.empty(), "with `identities: partly` or `unknown` in a recording"));
}

}  // namespace pithball::app
