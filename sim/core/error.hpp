#pragma once
#include <stdexcept>
#include <string>

#include "sim/core/text.hpp"

namespace pithball {

/// Wrong input, thrown once at the boundary, before step 0. The message reads "where what: required, got ...; remedy".
/// Readers that know the file complete `where` ("chain.yaml:12:5"). Parts can contain input of any length and content:
/// the message shows an excerpt, `parts` keep the whole text.
class InvalidArgument : public std::invalid_argument {
 public:
  /// The parts of the message.
  struct Parts {
    std::string where;     ///< file:line:column or the name of the function's argument; may be empty
    std::string what;      ///< the wrong value, as a key path: "springs.stiffness[3]"
    std::string required;  ///< "must be > 0 N/m"
    std::string got;       ///< "-2"; may be empty
    std::string remedy;    ///< "give a positive stiffness"; may be empty
  };
  /// An error whose message consists of these parts.
  explicit InvalidArgument(Parts parts) : std::invalid_argument(sentence(parts)), parts_(std::move(parts)) {}
  const Parts& parts() const { return parts_; }  ///< as given, not shortened

  /// The same error with the place filled in, for a reader that knows the line.
  InvalidArgument at(std::string where) const {
    Parts parts = parts_;
    parts.where = std::move(where);
    return InvalidArgument(std::move(parts));
  }

 private:
  static std::string sentence(const Parts& p) {
    std::string s = excerpt(p.where, longest_sentence);
    if (!p.what.empty()) s += (s.empty() ? "" : " ") + excerpt(p.what);
    if (!s.empty()) s += ": ";
    s += excerpt(p.required, longest_sentence);
    if (!p.got.empty()) s += ", got " + excerpt(p.got);
    if (!p.remedy.empty()) s += "; " + excerpt(p.remedy, longest_sentence);
    return s;
  }
  /// For the program's own text and file names, which are not shortened.
  static constexpr std::size_t longest_sentence = 1000;
  Parts parts_;
};

}  // namespace pithball
