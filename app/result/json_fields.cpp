#include "app/result/json_fields.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/result/not_known.hpp"
#include "datasets/text/nearest.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

class JsonWriter : public FieldVisitor {
 public:
  explicit JsonWriter(ordered_json& root) : at_(&root) {}

  void is(const char*, const char*) override {}
  bool is_writing() const override { return true; }

  void field(const Field& field, const Visit& visit) override {
    if (field.presence.is_shown) below((*at_)[field.key], visit);
  }
  void number(double& value) override { *at_ = std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }
  void known_number(double& value) override { *at_ = value; }
  void integer(long& value) override { *at_ = value; }
  void flag(bool& value) override { *at_ = value; }
  void text(std::string& value) override { *at_ = value; }
  void text_or_null(std::string& value) override { *at_ = value.empty() ? ordered_json(nullptr) : ordered_json(value); }
  void word(WordAccess& word) override { *at_ = word.words[word.chosen]; }
  bool nullable(bool is_there, const Visit& visit) override {
    if (is_there)
      visit();
    else
      *at_ = nullptr;
    return is_there;
  }
  void list(const ListAccess& list) override { tuple(list.size, list.visit); }
  void tuple(std::size_t size, const std::function<void(std::size_t)>& visit) override {
    *at_ = ordered_json::array();
    for (std::size_t k = 0; k < size; ++k) {
      at_->push_back(nullptr);
      below(at_->back(), [&] { visit(k); });
    }
  }
  void named(const NamedAccess& entries) override {
    *at_ = ordered_json::object();
    for (std::size_t k = 0; k < entries.size; ++k) below((*at_)[entries.name(k)], [&] { entries.visit(k); });
  }
  void further_texts(const std::vector<std::string>& keys, std::vector<std::string>& texts) override {
    for (std::size_t k = 0; k < keys.size(); ++k) (*at_)[keys[k]] = texts[k];
  }
  void either(bool is_number, const Visit& number, const Visit& other) override { is_number ? number() : other(); }
  void object(const Visit& list) override {
    *at_ = ordered_json::object();
    list();
  }

 private:
  void below(ordered_json& json, const Visit& visit) {
    ordered_json* const above = std::exchange(at_, &json);
    visit();
    at_ = above;
  }

  ordered_json* at_;
};

class JsonReader : public FieldVisitor {
 public:
  explicit JsonReader(const ordered_json& root) : at_(&root) {}

  void is(const char*, const char*) override {}
  bool is_reading() const override { return true; }

  void field(const Field& field, const Visit& visit) override {
    if (field.presence.condition && !at_->contains(field.key)) return;
    key_ = field.key;
    below(at_->at(field.key), visit);
  }
  void number(double& value) override { value = at_->is_null() ? not_known : at_->get<double>(); }
  void known_number(double& value) override { value = at_->get<double>(); }
  void integer(long& value) override { value = at_->get<long>(); }
  void flag(bool& value) override { value = at_->get<bool>(); }
  void text(std::string& value) override { value = at_->get<std::string>(); }
  void text_or_null(std::string& value) override { value = at_->is_null() ? "" : at_->get<std::string>(); }
  void word(WordAccess& word) override {
    const auto found = std::ranges::find_if(word.words, [&](const std::string& one) { return *at_ == one; });
    if (found == word.words.end())
      throw InvalidArgument({"", key_, "must be one of " + joined(word.words), at_->dump(), "run it again"});
    word.chosen = found - word.words.begin();
  }
  bool nullable(bool, const Visit& visit) override {
    if (!at_->is_null()) visit();
    return !at_->is_null();
  }
  void list(const ListAccess& list) override {
    if (!at_->is_array()) (void)at_->get<std::vector<ordered_json>>();  // throws
    list.resize(0);
    std::size_t size = 0;
    for (const ordered_json& entry : *at_) {
      list.resize(size + 1);
      below(entry, [&] { list.visit(size); });
      ++size;
    }
  }
  void tuple(std::size_t size, const std::function<void(std::size_t)>& visit) override {
    for (std::size_t k = 0; k < size; ++k) below(at_->at(k), [&] { visit(k); });
  }
  void named(const NamedAccess& entries) override {
    if (!at_->is_object()) (void)at_->get<std::map<std::string, ordered_json>>();  // throws
    std::size_t size = 0;
    for (const auto& [name, value] : at_->items()) {
      entries.append(name);
      below(value, [&] { entries.visit(size); });
      ++size;
    }
  }
  void further_texts(const std::vector<std::string>& keys, std::vector<std::string>& texts) override {
    for (const std::string& key : keys) texts.push_back(at_->at(key));
  }
  void either(bool, const Visit& number, const Visit& other) override {
    at_->is_string() || at_->is_array() ? other() : number();
  }
  void object(const Visit& list) override { list(); }

 private:
  void below(const ordered_json& json, const Visit& visit) {
    const ordered_json* const above = std::exchange(at_, &json);
    visit();
    at_ = above;
  }

  const ordered_json* at_;
  std::string key_;  ///< of the last field
};

}  // namespace

ordered_json write_fields(const FieldList& list) {
  ordered_json json = ordered_json::object();
  JsonWriter writer(json);
  list(writer);
  return json;
}

void read_fields(const ordered_json& json, const FieldList& list) {
  JsonReader reader(json);
  list(reader);
}

}  // namespace pithball::app
