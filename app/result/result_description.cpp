#include "app/result/result_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "app/result/compare_record.hpp"
#include "app/result/diagnosis_record.hpp"
#include "app/result/fit_ranking.hpp"
#include "app/result/fit_record.hpp"
#include "app/result/gradient_record.hpp"
#include "app/result/prediction_record.hpp"
#include "app/result/run_record.hpp"
#include "app/result/summary.hpp"
#include "app/result/sweep_record.hpp"

namespace pithball::app {
namespace {

using Kind = ValueShape::Kind;

/// Collects the types of all objects that it visits.
class FieldDescriber : public FieldVisitor {
 public:
  explicit FieldDescriber(std::vector<DescribedObject>& objects) : objects_(objects) {}

  /// Returns the type of the object with these fields.
  std::string describe(const FieldList& list) {
    ValueShape root;
    at_ = &root;
    object([&] { list(*this); });
    return root.object;
  }

  void is(const char* name, const char* meaning) override {
    if (!object_->name.empty()) return;
    object_->name = name;
    object_->meaning = meaning;
  }
  void field(const Field& field, const Visit& visit) override {
    const char* const condition = field.presence.condition;
    DescribedField described{field.key, field.unit.name, field.meaning, condition ? condition : "", {}};
    below(described.value, visit);
    object_->fields.push_back(std::move(described));
  }
  void number(double&) override {
    *at_ = {.kind = Kind::Number, .is_nullable = true, .words = {}, .parts = {}, .object = {}};
  }
  void known_number(double&) override { at_->kind = Kind::Number; }
  void integer(long&) override { at_->kind = Kind::Integer; }
  void flag(bool&) override { at_->kind = Kind::Flag; }
  void text(std::string&) override { at_->kind = Kind::Text; }
  void text_or_null(std::string&) override {
    at_->kind = Kind::Text;
    at_->is_nullable = true;
  }
  void word(WordAccess& word) override {
    at_->kind = Kind::Word;
    at_->words = word.words;
  }
  bool nullable(bool, const Visit& visit) override {
    visit();
    at_->is_nullable = true;
    return true;
  }
  void list(const ListAccess& list) override {
    list.resize(1);
    part_of(Kind::List, [&] { list.visit(0); });
  }
  void tuple(std::size_t size, const std::function<void(std::size_t)>& visit) override {
    for (std::size_t k = 0; k < size; ++k) part_of(Kind::Tuple, [&] { visit(k); });
  }
  void named(const NamedAccess& entries) override {
    entries.append("NAME");
    part_of(Kind::Named, [&] { entries.visit(entries.size); });
  }
  void further_texts(const std::vector<std::string>&, std::vector<std::string>&) override {
    object_->has_further_texts = true;
  }
  void either(bool, const Visit& number, const Visit& other) override {
    part_of(Kind::Either, number);
    part_of(Kind::Either, other);
  }
  void object(const Visit& list) override {
    DescribedObject described;
    DescribedObject* const above = std::exchange(object_, &described);
    ValueShape& shape = *at_;
    const std::size_t place = objects_.size();
    list();
    object_ = above;
    shape.kind = Kind::Object;
    shape.object = described.name;
    const auto known = std::ranges::find(objects_, described.name, &DescribedObject::name);
    if (known == objects_.end())
      objects_.insert(objects_.begin() + static_cast<std::ptrdiff_t>(place), std::move(described));
    else if (*known != described)
      throw std::logic_error(fmt::format("two types of results have the name '{}'", described.name));
  }

 private:
  void below(ValueShape& shape, const Visit& visit) {
    ValueShape* const above = std::exchange(at_, &shape);
    visit();
    at_ = above;
  }
  /// Visits the object that becomes the last part of the value.
  void part_of(Kind kind, const Visit& visit) {
    ValueShape part;
    below(part, visit);
    at_->kind = kind;
    at_->parts.push_back(std::move(part));
  }

  std::vector<DescribedObject>& objects_;
  DescribedObject* object_ = nullptr;
  ValueShape* at_ = nullptr;
};

void add_names(const ValueShape& shape, std::vector<std::string>& names) {
  if (!shape.object.empty()) names.push_back(shape.object);
  for (const ValueShape& part : shape.parts) add_names(part, names);
}

void add_family(const ResultDescription& all, const std::string& name, std::vector<DescribedObject>& family) {
  if (std::ranges::find(family, name, &DescribedObject::name) != family.end()) return;
  const DescribedObject& object = all.object(name);
  family.push_back(object);
  std::vector<std::string> names;
  for (const DescribedField& field : object.fields) add_names(field.value, names);
  for (const std::string& below : names) add_family(all, below, family);
}

}  // namespace

std::string DescribedField::sentence() const {
  return meaning + (condition.empty() ? "" : fmt::format(" (only {})", condition));
}

const DescribedObject& ResultDescription::object(const std::string& name) const {
  return *std::ranges::find(objects, name, &DescribedObject::name);
}

std::vector<DescribedObject> ResultDescription::family(const std::string& name) const {
  std::vector<DescribedObject> family;
  add_family(*this, name, family);
  return family;
}

ResultDescription describe(const std::vector<ResultFile>& files) {
  ResultDescription all;
  for (const ResultFile& file : files)
    all.files.push_back({file.name, file.written_by, FieldDescriber(all.objects).describe(file.list)});
  return all;
}

namespace {

/// Returns the type of a command's summary.json.
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
