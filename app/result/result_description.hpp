#pragma once
#include <string>
#include <vector>

#include "app/result/json_fields.hpp"

namespace pithball::app {

/// What a value in a file is.
struct ValueShape {
  /// The form of a value.
  enum class Kind { Number, Integer, Flag, Text, Word, List, Tuple, Named, Object, Either };
  Kind kind = Kind::Number;        ///< its form
  bool is_nullable = false;        ///< it may be null
  std::vector<std::string> words;  ///< of a word: the choices
  std::vector<ValueShape> parts;   ///< of a list, tuple, mapping or alternatives: their entries
  std::string object;              ///< of an object: the name of its type

  bool operator==(const ValueShape&) const = default;  ///< in all parts
};

/// A key of an object.
struct DescribedField {
  std::string key,        ///< as in the file
      unit,               ///< of its numbers; empty: none
      meaning;            ///< a phrase
  std::string condition;  ///< when there is such a key; empty: always
  ValueShape value;       ///< what it holds

  /// Whether the key may be absent from an object.
  bool may_lack() const { return !condition.empty(); }
  /// The meaning, and which objects have the key.
  std::string sentence() const;
  bool operator==(const DescribedField&) const = default;  ///< in all parts
};

/// A type of objects.
struct DescribedObject {
  std::string name,                    ///< "FittedParameter"
      meaning;                         ///< a phrase
  std::vector<DescribedField> fields;  ///< in the order of the file
  bool has_further_texts = false;      ///< further keys hold texts

  bool operator==(const DescribedObject&) const = default;  ///< in all parts
};

/// A file of results.
struct DescribedFile {
  std::string name,  ///< "fit.json"
      written_by,    ///< a phrase: "`fit`"
      object;        ///< the type of what it holds
};

/// All files of results, and the types of objects in them.
struct ResultDescription {
  std::vector<DescribedFile> files;      ///< in the order of the page
  std::vector<DescribedObject> objects;  ///< those of a file after its own, each once

  /// The type with this name.
  const DescribedObject& object(const std::string& name) const;
  /// The types of this one's fields, and of theirs, each once, after it.
  std::vector<DescribedObject> family(const std::string& name) const;
};

/// A file with the fields in `list`.
struct ResultFile {
  std::string name,  ///< "fit.json"
      written_by;    ///< a phrase: "`fit`"
  FieldList list;    ///< of an empty result
};

/// From the lists of fields. Throws std::logic_error if two types have the same name.
ResultDescription describe(const std::vector<ResultFile>& files);

/// The files of results of all commands and the ranking that `compare` prints, and what their keys mean.
const ResultDescription& result_files();

}  // namespace pithball::app
