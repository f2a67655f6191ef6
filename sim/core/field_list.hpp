#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/core/types.hpp"

// A struct of results has one list of its fields, in the order of its file:
//
//   void fields(FieldVisitor& v, Misfit& m) {
//     v.is("Misfit", "misfit of one recording");
//     v("recording", m.recording, "as in the experiment file");
//     v("misfit", m.misfit, of_kind, "RMS of model − recorded");
//     v("noise", m.noise, of_kind, "noise of the recording");
//   }
//
// The program writes and reads files by it (app/result/json_fields.hpp), describes them (result_description.hpp) and
// prints tables.

namespace pithball {

/// Unit of a field's numbers.
struct Unit {
  const char* name = "";  ///< "m/s"; empty: pure numbers, or no numbers
};
/// The unit with this name.
constexpr Unit in(const char* name) { return {name}; }
inline constexpr Unit of_parameter{"of the parameter"};    ///< that of the parameter in which the field is
inline constexpr Unit of_kind{"of the measurement kind"};  ///< that of the recording's measurement kind

/// Which objects have a key.
struct Presence {
  bool is_shown = true;             ///< whether this one does
  const char* condition = nullptr;  ///< of a key that only some objects have: "with `--halve-step`"; null: all have it
};
/// A key that is present only if `is_shown`, under the condition described.
constexpr Presence only(bool is_shown, const char* condition) { return {is_shown, condition}; }

/// A key of an object and its meaning.
struct Field {
  const char* key;         ///< as in the file
  Unit unit;               ///< of its numbers
  const char* meaning;     ///< a phrase
  Presence presence = {};  ///< which objects have it
};

/// Visits a value or its parts, whatever these belong to.
using Visit = std::function<void()>;

/// A list, of which a reader makes the entries.
struct ListAccess {
  std::size_t size;                         ///< number of entries
  std::function<void(std::size_t)> resize;  ///< for readers
  std::function<void(std::size_t)> visit;   ///< an entry
};

/// Values by names, of which a reader makes the entries.
struct NamedAccess {
  std::size_t size;                                ///< number of entries
  std::function<std::string(std::size_t)> name;    ///< of an entry
  std::function<void(std::size_t)> visit;          ///< an entry
  std::function<void(const std::string&)> append;  ///< for readers: a new last entry
};

/// A choice among words.
struct WordAccess {
  std::vector<std::string> words;  ///< all of them
  std::size_t chosen;              ///< index of the word
};

/// Goes through the fields of a result: writes, reads or describes them. Only readers change what they visit.
class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;

  /// Name of the object's type, and what it is, in a phrase; of objects that are parts of another without a key, the
  /// first name counts.
  virtual void is(const char* name, const char* meaning) = 0;
  /// Whether the visited values are those of a file.
  virtual bool is_reading() const { return false; }
  /// Whether values are to be computed; a description needs their types only.
  virtual bool is_writing() const { return false; }

  /// A field with a value of any type for which there is a `visit_value`.
  template <class Value>
  void operator()(const char* key, Value&& value, Unit unit, const char* meaning, const Presence& presence = {}) {
    field({key, unit, meaning, presence}, [&] { visit_value(*this, value); });
  }
  /// Likewise, without a unit.
  template <class Value>
  void operator()(const char* key, Value&& value, const char* meaning, const Presence& presence = {}) {
    (*this)(key, value, Unit{}, meaning, presence);
  }
  /// A field that only some objects have: those where there is a value; `condition` says which, "with `--halve-step`".
  template <class Value>
  void if_any(const char* key, std::optional<Value>& value, const char* meaning, const char* condition) {
    field({key, {}, meaning, only(value.has_value(), condition)}, [&] {
      Value known = value ? *value : Value{};
      visit_value(*this, known);
      if (is_reading()) value = std::move(known);
    });
  }
  /// A field that follows from the others: it is written, and not read.
  template <class Compute>
  void computed(const char* key, const Compute& compute, Unit unit, const char* meaning) {
    if (is_reading()) return;
    std::invoke_result_t<Compute> value{};
    if (is_writing()) value = compute();
    (*this)(key, value, unit, meaning);
  }
  /// Likewise, without a unit.
  template <class Compute>
  void computed(const char* key, const Compute& compute, const char* meaning) {
    computed(key, compute, Unit{}, meaning);
  }
  /// A field that is an object of fields of the same struct.
  void block(const char* key, const char* name, const char* meaning, const Visit& list, const Presence& presence = {}) {
    field({key, {}, meaning, presence}, [&] {
      object([&] {
        is(name, meaning);
        list();
      });
    });
  }
  /// Keys of the object that the user chose, each with a text.
  virtual void further_texts(const std::vector<std::string>& keys, std::vector<std::string>& texts) = 0;
  /// An action of readers once the fields before it have been read.
  void after_reading(const Visit& act) {
    if (is_reading()) act();
  }

  /// A field, whose value `visit` visits.
  virtual void field(const Field& field, const Visit& visit) = 0;

  // Values: each follows its field or is a part of another value.

  /// Null if it is not finite; read as NaN.
  virtual void number(double& value) = 0;
  /// Never null.
  virtual void known_number(double& value) = 0;
  /// A whole number.
  virtual void integer(long& value) = 0;
  /// True or false.
  virtual void flag(bool& value) = 0;
  /// Text.
  virtual void text(std::string& value) = 0;
  /// Text; null if it is empty.
  virtual void text_or_null(std::string& value) = 0;
  /// One of several words.
  virtual void word(WordAccess& word) = 0;
  /// The value, or null. Returns whether there is one.
  virtual bool nullable(bool is_there, const Visit& visit) = 0;
  /// A list.
  virtual void list(const ListAccess& list) = 0;
  /// A list of fixed length.
  virtual void tuple(std::size_t size, const std::function<void(std::size_t)>& visit) = 0;
  /// Values by names.
  virtual void named(const NamedAccess& entries) = 0;
  /// A number, or a text or list in its place.
  virtual void either(bool is_number, const Visit& number, const Visit& other) = 0;
  /// An object of the fields in this list.
  virtual void object(const Visit& list) = 0;
};

// Forms of values, which wrap the value of a field.

/// A number that is never null.
struct KnownNumber {
  double& value;  ///< of the field
};
/// A number that is never null.
inline KnownNumber known(double& value) { return {value}; }

/// A value that is null in some objects; reading null leaves it.
template <class Value>
struct ValueIf {
  bool is_there;  ///< false: null
  Value& value;   ///< of the field
};
/// The value, or null.
template <class Value>
ValueIf<Value> value_if(bool is_there, Value& value) {
  return {is_there, value};
}

/// A text that is null where it is empty.
struct TextOrNull {
  std::string& value;  ///< of the field
};
/// The text, null where it is empty.
inline TextOrNull or_null(std::string& value) { return {value}; }

/// The ends of an interval, [lower, upper].
struct Ends {
  double &lower,          ///< of the field
      &upper;             ///< likewise
  bool has_lower = true,  ///< false: null
      has_upper = true;   ///< likewise
};

/// Texts about either end, [lower, upper]; null where they are empty.
struct TextEnds {
  std::string &lower,  ///< of the field
      &upper;          ///< likewise
};

/// One of several enumerators as its word.
template <class Enum>
struct Word {
  Enum& value;                ///< of the field
  std::vector<Enum> all;      ///< the enumerators that have a word
  std::string (*text)(Enum);  ///< the word
};

/// The enumerator as its word; `all` have one.
template <class Enum, class All>
Word<Enum> as_word(Enum& value, const All& all) {
  return {value, {std::begin(all), std::end(all)}, [](Enum one) { return std::string(to_string(one)); }};
}

/// Names and values as an object.
template <class Value>
struct ByName {
  std::vector<std::pair<std::string, Value>>& entries;  ///< of the field, in order
};
/// Names and values as an object.
template <class Value>
ByName<Value> by_name(std::vector<std::pair<std::string, Value>>& entries) {
  return {entries};
}

/// A list whose entries `visit` visits, such as objects with fields from elsewhere.
template <class Value, class VisitEntry>
struct ListOf {
  std::vector<Value>& values;  ///< of the field
  VisitEntry visit;            ///< visits the fields of an entry
};
/// A list of objects with the fields that `visit(entry)` visits.
template <class Value, class VisitEntry>
ListOf<Value, VisitEntry> list_of(std::vector<Value>& values, VisitEntry visit) {
  return {values, visit};
}

/// Numbers that are one number where all are equal.
struct OneOrMany {
  sim::Vector& values;  ///< of the field
};

/// Two lists of equal length as one list of pairs.
struct Zipped {
  std::vector<double>&first,  ///< of the field
      &second;                ///< likewise
};

// `visit_value` of every type of value; a struct is an object of its `fields`.

/// @cond overloads
inline void visit_value(FieldVisitor& v, double& x) { v.number(x); }
inline void visit_value(FieldVisitor& v, bool& x) { v.flag(x); }
inline void visit_value(FieldVisitor& v, std::string& x) { v.text(x); }
inline void visit_value(FieldVisitor& v, KnownNumber& x) { v.known_number(x.value); }
inline void visit_value(FieldVisitor& v, TextOrNull& x) { v.text_or_null(x.value); }

template <std::integral Integer>
void visit_value(FieldVisitor& v, Integer& x) {
  long wide = static_cast<long>(x);
  v.integer(wide);
  if (v.is_reading()) x = static_cast<Integer>(wide);
}

template <class Struct>
requires requires(FieldVisitor& v, Struct& x) { fields(v, x); }
void visit_value(FieldVisitor& v, Struct& x);
template <class Value>
void visit_value(FieldVisitor& v, std::vector<Value>& x);
template <class First, class Second>
void visit_value(FieldVisitor& v, std::pair<First, Second>& x);
void visit_value(FieldVisitor& v, sim::Vector& x);
void visit_value(FieldVisitor& v, Eigen::MatrixXd& x);
void visit_value(FieldVisitor& v, Ends& x);
void visit_value(FieldVisitor& v, TextEnds& x);
void visit_value(FieldVisitor& v, OneOrMany& x);
void visit_value(FieldVisitor& v, Zipped& x);
void visit_value(FieldVisitor& v, std::array<double, 3>& x);
void visit_value(FieldVisitor& v, std::map<std::string, std::string>& x);
void visit_value(FieldVisitor& v, std::variant<double, std::string>& x);

template <class Value>
void visit_value(FieldVisitor& v, ValueIf<Value>& x) {
  v.nullable(x.is_there, [&] { visit_value(v, x.value); });
}

template <class Value>
void visit_value(FieldVisitor& v, std::optional<Value>& x) {
  Value value = x ? *x : Value{};
  const bool is_there = v.nullable(x.has_value(), [&] { visit_value(v, value); });
  if (!v.is_reading()) return;
  x.reset();
  if (is_there) x = std::move(value);
}

template <class Enum>
void visit_value(FieldVisitor& v, Word<Enum>& x) {
  WordAccess access{{}, 0};
  for (std::size_t k = 0; k < x.all.size(); ++k) {
    access.words.push_back(x.text(x.all[k]));
    if (x.all[k] == x.value) access.chosen = k;
  }
  v.word(access);
  if (v.is_reading()) x.value = x.all[access.chosen];
}

template <class Value>
void visit_value(FieldVisitor& v, ByName<Value>& x) {
  v.named({x.entries.size(), [&](std::size_t k) { return x.entries[k].first; },
           [&](std::size_t k) { visit_value(v, x.entries[k].second); },
           [&](const std::string& name) { x.entries.emplace_back(name, Value{}); }});
}

template <class Value, class VisitEntry>
void visit_value(FieldVisitor& v, ListOf<Value, VisitEntry>& x) {
  v.list({x.values.size(), [&](std::size_t size) { x.values.resize(size); },
          [&](std::size_t k) { v.object([&] { x.visit(x.values[k]); }); }});
}

template <class Value>
void visit_value(FieldVisitor& v, std::vector<Value>& x) {
  v.list({x.size(), [&](std::size_t size) { x.resize(size); }, [&](std::size_t k) { visit_value(v, x[k]); }});
}

template <class First, class Second>
void visit_value(FieldVisitor& v, std::pair<First, Second>& x) {
  v.tuple(2, [&](std::size_t k) {
    if (k == 0) visit_value(v, x.first);
    if (k == 1) visit_value(v, x.second);
  });
}

template <class Struct>
requires requires(FieldVisitor& v, Struct& x) { fields(v, x); }
void visit_value(FieldVisitor& v, Struct& x) {
  v.object([&] { fields(v, x); });
}

/// @endcond

}  // namespace pithball
