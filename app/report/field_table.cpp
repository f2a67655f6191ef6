#include "app/report/field_table.hpp"

#include <algorithm>
#include <cmath>

#include "app/base/estimate_text.hpp"
#include "app/base/json_text.hpp"
#include "optim/measurement/measurement_kind.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// A field of plain type and its value.
struct TableCell {
  std::string key;
  Unit unit;
  ordered_json value;
};

/// Collects the fields of plain type of a struct; skips lists and objects.
class CellWriter : public FieldVisitor {
 public:
  explicit CellWriter(const optim::MeasurementKind& kind) : kind_(kind) {}

  std::vector<TableCell> cells;  ///< in the order of the list

  void is(const char*, const char*) override {}
  bool is_writing() const override { return true; }
  void field(const Field& field, const Visit& visit) override {
    if (!field.presence.is_shown) return;
    unit_ = field.unit;
    is_plain_ = false;
    visit();
    if (is_plain_) cells.push_back({field.key, field.unit, std::move(value_)});
  }
  void number(double& value) override {
    const std::string unit = unit_.name;
    keep(unit == of_kind.name && std::isfinite(value) ? ordered_json(kind_.shown(value)) : number_or_null(value));
  }
  void known_number(double& value) override { number(value); }
  void integer(long& value) override { keep(value); }
  void flag(bool& value) override { keep(value ? "yes" : "no"); }
  void text(std::string& value) override { keep(value); }
  void text_or_null(std::string& value) override { keep(app::text_or_null(value)); }
  void word(WordAccess& word) override { keep(word.words[word.chosen]); }
  bool nullable(bool is_there, const Visit& visit) override {
    keep(nullptr);
    if (is_there) visit();
    return is_there;
  }
  void list(const ListAccess&) override { is_plain_ = false; }
  void tuple(std::size_t, const std::function<void(std::size_t)>&) override { is_plain_ = false; }
  void named(const NamedAccess&) override { is_plain_ = false; }
  void further_texts(const std::vector<std::string>&, std::vector<std::string>&) override {}
  void either(bool is_number, const Visit& number, const Visit& other) override { is_number ? number() : other(); }
  void object(const Visit&) override { is_plain_ = false; }

 private:
  void keep(ordered_json value) {
    value_ = std::move(value);
    is_plain_ = true;
  }

  const optim::MeasurementKind& kind_;
  Unit unit_;
  ordered_json value_;
  bool is_plain_ = false;
};

/// Returns the column heading for a field name like "misfit_over_noise".
ordered_json column_of(const TableCell& cell) {
  std::string label = cell.key;
  std::ranges::replace(label, '_', ' ');
  ordered_json column{{"label", label}};
  const std::string unit = cell.unit.name;
  if (!unit.empty() && unit != of_kind.name && unit != of_parameter.name) column["unit"] = unit;
  return column;
}

}  // namespace

Section field_table(const std::string& title, const std::string& note, const std::vector<TableRow>& rows) {
  ordered_json columns = ordered_json::array(), lines = ordered_json::array();
  for (const TableRow& row : rows) {
    CellWriter writer(*row.kind);
    row.list(writer);
    ordered_json line = ordered_json::array();
    for (const TableCell& cell : writer.cells) {
      if (&row == &rows.front()) columns.push_back(column_of(cell));
      line.push_back(cell.value);
    }
    lines.push_back(std::move(line));
  }
  return {"table", {{"title", title}, {"note", note}, {"columns", columns}, {"rows", lines}}};
}

}  // namespace pithball::app
