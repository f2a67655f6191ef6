#include "app/result/prediction_record.hpp"

namespace pithball::app {
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
