#pragma once
#include <functional>
#include <map>
#include <string>

#include "datasets/text/unit_name.hpp"

namespace pithball::datasets {

/// The role of a word in the name of a column.
enum class WordRole {
  Quantity,
  PartOfPoint,  ///< the same, but where there is an axis it belongs to the name of a point: "mass_A x"
  Filler,       ///< says nothing, or belongs to the name of a point: "number", "index_x"
  Adjective,    ///< says nothing: "linear", "absolute"
  Angular,      ///< makes a velocity an angular one, which no measurement kind has
};

/// The meaning of a word.
struct ColumnWord {
  WordRole role = WordRole::Quantity;     ///< its role in a name
  Quantity quantity = Quantity::Unknown;  ///< the quantity that it says the column holds
};

/// Meanings by word, in lower case.
using ColumnWords = std::map<std::string, ColumnWord, std::less<>>;

/// The words that names of columns are made of, in the languages in which recorders write headers.
const ColumnWords& column_words();

}  // namespace pithball::datasets
