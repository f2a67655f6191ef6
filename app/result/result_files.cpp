#include "app/result/result_files.hpp"

#include "app/result/compare_record.hpp"
#include "app/result/diagnosis_record.hpp"
#include "app/result/fit_ranking.hpp"
#include "app/result/fit_record.hpp"
#include "app/result/gradient_record.hpp"
#include "app/result/prediction_record.hpp"
#include "app/result/run_record.hpp"
#include "app/result/scan_record.hpp"
#include "app/result/summary.hpp"
#include "app/result/sweep_record.hpp"

namespace pithball::app {
namespace {

/// summary.json of a command.
template <class Outcome>
ResultFile summary_of(const char* command) {
  return {std::string("summary.json of ") + command, "each run", [](FieldVisitor& v) {
            Summary summary;
            Outcome outcome;
            fields(v, summary, outcome);
          }};
}

template <HasFields Record>
ResultFile file_of(const char* name, const char* written_by) {
  return {name, written_by, [](FieldVisitor& v) {
            Record record;
            fields(v, record);
          }};
}

}  // namespace

const ResultDescription& result_files() {
  static const ResultDescription all = describe({
      file_of<FitRecord>("fit.json", "`fit`"),
      file_of<IdentifyRecord>("identify.json", "`identify`"),
      file_of<PlanRecord>("plan.json", "`plan`"),
      file_of<DiagnosisRecord>("diagnosis.json", "`diagnose`"),
      file_of<CompareRecord>("compare.json", "`compare`"),
      file_of<FitRanking>("standard output of compare FIT1 FIT2", "`compare FIT1 FIT2 … --json`"),
      file_of<ScanRecord>("scan.json", "`scan`"),
      file_of<GradientRecord>("gradient.json", "`check-gradient`"),
      file_of<FolderRecord>("record.json", "each run"),
      file_of<SweepRecord>("plan.json of a sweep", "`sweep`"),
      file_of<TaskResult>("results/NUMBER.json of a sweep", "`run`, one for each task"),
      summary_of<SimulationOutcome>("simulate"),
      summary_of<FitOutcome>("fit"),
      summary_of<ComparisonOutcome>("compare"),
      summary_of<ScanOutcome>("scan"),
      summary_of<GradientOutcome>("check-gradient"),
      summary_of<PredictionOutcome>("identify and plan"),
  });
  return all;
}

}  // namespace pithball::app
