#include "app/result/prediction_record.hpp"

namespace pithball::app {

void fields(FieldVisitor& v, OptimizedRecording& recording) {
  v.is("OptimizedRecording", "a recording of the optimized design");
  v("name", recording.name, "as in planned.yaml");
  v("rate", known(recording.rate), in("1/s"), "frames per second");
  v("duration", known(recording.duration), in("s"), "of the recording");
  v("frames", recording.frames, "number of frames");
  v("markers", recording.markers, "particles; empty: as written");
  v("set", by_name(recording.set), "changed keys and their values");
  v("measurement", recording.measurement, "measurement kind of its markers");
  v("trajectory", recording.trajectory, "file of its simulated motion in the run folder");
  v("table", recording.table, "file of its markers in the run folder");
}

void fields(FieldVisitor& v, DesignGain& gain) {
  v.is("DesignGain",
       "predicted standard errors of a parameter with and "
       "without the optimized design");
  v("parameter", gain.parameter, "its name, as in fit.json");
  v("unit", gain.unit, "in base units of SI; empty: pure numbers");
  v("before", gain.before, of_parameter, "with the design as written; null: not identifiable");
  v("optimized", gain.optimized, of_parameter, "with the optimized design; null: not identifiable");
  v.computed(
      "ratio", [&] { return gain.ratio(); }, "before / optimized");
}

void fields(FieldVisitor& v, OptimizedDesign& design) {
  v.is("OptimizedDesign", "the design that the search found");
  v("criterion", design.criterion, "\"D\", \"A\", or the name of the only parameter that counts");
  v("before", design.before, "the alternative with which it is compared");
  v("given", or_null(design.given), "run folder of the earlier fit; null: none");
  v("recordings", design.recordings, "as many as the search found worthwhile");
  v("gains", design.gains, "by parameter that both designs have");
  v("waveform_gain", known(design.waveform_gain),
    "mean standard error with the numbers in the file / with those found");
  v("runs", design.runs, "number of simulations");
  v("evaluations", design.evaluations, "number of evaluations of the criterion");
  v("notes", design.notes, "what else to know, one sentence each");
}

void fields(FieldVisitor& v, PlannedAlternative& alternative) {
  v.is("PlannedAlternative", "an experiment design and its prediction");
  v("name", alternative.name, "as in the experiment file, or \"as written\", \"optimized\"");
  v("set", by_name(alternative.set), "changed keys and their values");
  fields(v, alternative.prediction);
}

void fields(FieldVisitor& v, IdentifyRecord& record) {
  v.is("IdentifyResult", "what the recordings of a fit would determine");
  v("name", record.name, "of the experiment");
  v("at", record.at, "the point of the prediction: \"start\", or the run folder of a fit");
  fields(v, record.prediction);
}

void fields(FieldVisitor& v, PlanRecord& record) {
  v.is("PlanResult", "what several designs of the recordings would determine");
  v("name", record.name, "of the experiment");
  v("alternatives", record.alternatives, "the design as written first, the optimized one last");
  v.if_any("optimized", record.optimized, "the optimized design", "with `--optimize`");
}

}  // namespace pithball::app
