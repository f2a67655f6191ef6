#include "datasets/capture/column_name.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "datasets/capture/column_words.hpp"
#include "datasets/text/text_scan.hpp"

namespace pithball::datasets {
namespace {

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// Returns the quantity that a letter before an axis denotes; such a letter may also name a point.
Quantity letter_quantity(std::string_view word) {
  if (word == "v") return Quantity::Velocity;
  if (word == "a") return Quantity::Acceleration;
  if (word == "f" || word == "F") return Quantity::Force;
  return Quantity::Unknown;
}

/// A run of characters of the name between separators.
struct Token {
  std::size_t begin = 0, end = 0;  ///< in the name
  bool is_used = false;            ///< it is an axis, a quantity or a filler, and not part of the point's name
};

std::vector<Token> split_tokens(std::string_view name) {
  constexpr std::string_view separators = "_ .-:,#/\t";
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t begin = std::min(name.find_first_not_of(separators, at), name.size());
    const std::size_t end = std::min(name.find_first_of(separators, begin), name.size());
    if (begin < end) tokens.push_back({begin, end});
    at = end;
  }
  return tokens;
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::optional<int> axis_of_letter(char letter) {
  const std::size_t axis =
      std::string_view("xyz").find(static_cast<char>(std::tolower(static_cast<unsigned char>(letter))));
  return axis == std::string_view::npos ? std::nullopt : std::optional(static_cast<int>(axis));
}

/// Parses a name in steps, each of which consumes a part of it.
class Parsing {
 public:
  explicit Parsing(std::string_view name) : text_(trim(name)) {
    unfold_subscripts();
    if (const auto unit = find_unit(text_); unit && unit->quantity == Quantity::Time && text_.size() > 1) {
      set_unit(text_, *unit);  // a column "ms"
      text_.clear();
    }
    take_brackets();
    take_unit_behind_slash();
    tokens_ = split_tokens(text_);
    take_axis();
    take_words();
    take_trailing_unit();
    take_loose_axis();
    name_point();
    settle_quantity();
  }
  const ColumnName& result() const { return result_; }

 private:
  std::string_view word(const Token& token) const {
    return std::string_view(text_).substr(token.begin, token.end - token.begin);
  }

  /// "x_{1}" is x_1, and "$x$" is x.
  void unfold_subscripts() {
    std::erase(text_, '$');
    for (std::size_t at = text_.find("_{"); at != std::string::npos; at = text_.find("_{", at)) {
      const std::size_t end = text_.find('}', at);
      if (end == std::string::npos) return;
      text_.erase(end, 1);
      text_.erase(at + 1, 1);
    }
  }

  void set_unit(std::string_view written, const UnitName& unit) {
    result_.unit = trim(written);
    result_.factor = unit.factor;
    unit_quantity_ = unit.quantity;
  }

  /// Takes units in brackets anywhere in the name; removes the brackets around numbers and axes.
  void take_brackets() {
    for (std::size_t begin = text_.find_first_of("([{<"); begin != std::string::npos;
         begin = text_.find_first_of("([{<", begin)) {
      const char closing = text_[begin] == '(' ? ')' : text_[begin] == '[' ? ']' : text_[begin] == '{' ? '}' : '>';
      const std::size_t end = text_.find(closing, begin);
      if (end == std::string::npos) return;
      const std::string inner(trim(std::string_view(text_).substr(begin + 1, end - begin - 1)));
      if (begin == 0 && end + 1 == text_.size() && !find_unit(inner)) {  // "{t}": brackets around the whole name
        text_ = inner;
        return;
      }
      std::string kept = " ";
      if (const auto unit = find_unit(inner); unit && result_.unit.empty())
        set_unit(inner, *unit);
      else if (is_digits(inner) || (inner.size() == 1 && axis_of_letter(inner[0])))
        kept = "_" + inner + " ";
      else if (!inner.empty())
        result_.unclear = text_.substr(begin, end - begin + 1);
      text_.replace(begin, end - begin + 1, kept);
      begin += kept.size();
    }
    text_ = std::string(trim(text_));
  }

  /// "x / mm", "v in m/s".
  void take_unit_behind_slash() {
    if (!result_.unit.empty()) return;
    if (take_quotient()) return;
    for (const std::string_view part : {"/", " in ", ", "})
      for (std::size_t at = text_.find(part); at != std::string::npos; at = text_.find(part, at + 1)) {
        const std::string_view tail = trim(std::string_view(text_).substr(at + part.size()));
        const auto unit = find_unit(tail);
        if (!unit || trim(std::string_view(text_).substr(0, at)).empty()) continue;
        set_unit(tail, *unit);
        text_ = std::string(trim(std::string_view(text_).substr(0, at)));
        return;
      }
  }

  /// "v_x m/s", and "m/s" alone.
  bool take_quotient() {
    for (std::size_t at = 0; at < text_.size(); ++at) {
      const bool parted = at == 0 || text_[at - 1] == ' ' || text_[at - 1] == '_';
      const std::string_view tail = std::string_view(text_).substr(at);
      if (!parted || tail.find_first_of("/^") == std::string_view::npos) continue;
      const auto unit = find_unit(tail);
      if (!unit) continue;
      set_unit(tail, *unit);
      text_.resize(at);
      return true;
    }
    return false;
  }

  void set_axis(Token& token, int axis, bool is_first) {
    result_.axis = axis;
    result_.axis_place = is_first ? AxisPlace::First : AxisPlace::Last;
    token.is_used = true;
  }

  /// "x", "x1", "1x"; "vx", "ax", "Fx"; "u", "v0" of an image.
  void take_axis() {
    for (std::size_t k = 0; k < tokens_.size() && !result_.axis; ++k) {
      Token& token = tokens_[k];
      const std::string_view all = word(token);
      const bool is_first = k == 0;
      const auto front = axis_of_letter(all.front()), back = axis_of_letter(all.back());
      if (all.size() == 1 && front) return set_axis(token, *front, is_first);
      if (front && is_digits(all.substr(1))) {
        number_ = all.substr(1);
        return set_axis(token, *front, true);
      }
      if (back && is_digits(all.substr(0, all.size() - 1))) {
        number_ = all.substr(0, all.size() - 1);
        return set_axis(token, *back, false);
      }
      if (const Quantity quantity = letter_quantity(lowered(all.substr(0, 1)));
          all.size() == 2 && back && quantity != Quantity::Unknown) {
        result_.quantity = quantity;
        result_.names_quantity = true;
        return set_axis(token, *back, is_first);
      }
    }
    take_image_axis();
  }

  void take_image_axis() {
    if (result_.axis || tokens_.empty()) return;
    const std::string_view all = word(tokens_.front());
    const bool numbered = all.size() == 1 || is_digits(all.substr(1));
    const bool has_other_unit = unit_quantity_ != Quantity::Unknown && unit_quantity_ != Quantity::Pixel;
    if ((all[0] != 'u' && all[0] != 'v') || !numbered || has_other_unit) return;
    if (all.size() > 1) number_ = all.substr(1);
    result_.quantity = Quantity::Pixel;
    result_.names_quantity = true;
    set_axis(tokens_.front(), all[0] == 'u' ? 0 : 1, true);
  }

  /// Returns the meaning of a token or, if it has none, that of the token without the number at its end: "pos1" means
  /// "pos".
  std::optional<ColumnWord> meaning_of(std::string_view token) const {
    const std::string lower = lowered(token);
    const ColumnWords& known = column_words();
    if (const auto found = known.find(lower); found != known.end()) return found->second;
    const std::string_view stem = std::string_view(lower).substr(0, lower.find_last_not_of("0123456789") + 1);
    if (const auto found = known.find(stem); stem.size() > 2 && stem.size() < lower.size() && found != known.end())
      return found->second;
    return {};
  }

  void take_quantity(Quantity quantity) {
    const bool more = result_.names_quantity && result_.quantity != Quantity::Unknown;
    // A frame time is a time, and the error of a position is not a position.
    if (!more || quantity == Quantity::Other || (result_.quantity == Quantity::Frame && quantity == Quantity::Time) ||
        (result_.quantity == Quantity::Identity && quantity != Quantity::Frame))
      result_.quantity = quantity;
    result_.names_quantity = true;
  }

  void take_words() {
    bool is_angular = false;
    for (Token& token : tokens_) {
      if (token.is_used) continue;
      const std::string_view all = word(token);
      const auto meaning = meaning_of(all);
      if (!meaning) {
        const Quantity letter = result_.axis && all.size() == 1 ? letter_quantity(all) : Quantity::Unknown;
        if (letter == Quantity::Unknown || result_.names_quantity) continue;
        result_.quantity = letter;
        result_.names_quantity = true;
        result_.loose_word = all;
        token.is_used = true;
        continue;
      }
      const bool is_point =
          result_.axis && (meaning->role == WordRole::PartOfPoint || meaning->quantity == Quantity::Identity ||
                           meaning->quantity == Quantity::Time || meaning->quantity == Quantity::Frame);
      if (meaning->role == WordRole::Angular) is_angular = true;
      if (meaning->quantity != Quantity::Unknown && !is_point) take_quantity(meaning->quantity);
      const bool is_part_of_point =
          is_point || (meaning->role == WordRole::Filler && tokens_.size() > 1 && result_.axis);
      token.is_used = !is_part_of_point;
      if (meaning->role == WordRole::Quantity && !is_point) take_number_of(token);
    }
    if (is_angular) result_.quantity = Quantity::Other;
  }

  /// "pos1": the point is named 1.
  void take_number_of(const Token& token) {
    const std::string_view all = word(token);
    const std::size_t stem = all.find_last_not_of("0123456789") + 1;
    if (number_.empty() && stem > 0 && stem < all.size()) number_ = all.substr(stem);
  }

  /// "x_mm", "time_ms", "theta deg".
  void take_trailing_unit() {
    if (!result_.unit.empty() || tokens_.size() < 2 || tokens_.back().is_used) return;
    if (!result_.axis && !result_.names_quantity) return;
    const std::string_view last = word(tokens_.back());
    const auto unit = find_unit(last);
    if (!unit) return;
    const bool is_named = result_.names_quantity && unit->quantity == result_.quantity;
    if (result_.names_quantity && !is_named && result_.quantity != Quantity::Length) return;
    if (!is_named && (last.size() == 1 || lowered(last) == "in" || lowered(last) == "ft")) result_.loose_word = last;
    set_unit(last, *unit);
    tokens_.back().is_used = true;
  }

  /// "xA", "posX", "headY": an axis without a separator.
  void take_loose_axis() {
    if (result_.axis || (result_.names_quantity && tokens_.size() == 1)) return;
    for (Token& token : tokens_) {
      if (token.is_used || token.end - token.begin < 2) continue;
      const std::string_view all = word(token);
      const bool upper_last = std::isupper(static_cast<unsigned char>(all.back())) &&
                              std::islower(static_cast<unsigned char>(all[all.size() - 2]));
      const auto front = axis_of_letter(all.front()), back = axis_of_letter(all.back());
      const auto says = [&](const std::optional<int>& axis, std::string_view rest) {
        const auto meaning = axis ? meaning_of(rest) : std::nullopt;
        return meaning && meaning->role == WordRole::Quantity && meaning->quantity < Quantity::Time ? meaning->quantity
                                                                                                    : Quantity::Unknown;
      };
      const std::string_view before = all.substr(0, all.size() - 1), behind = all.substr(1);
      const Quantity of_last = says(back, before), of_first = says(front, behind);
      const bool is_last = of_last != Quantity::Unknown || (of_first == Quantity::Unknown && back && upper_last);
      const Quantity quantity = is_last ? of_last : of_first;
      if (!is_last && !front) continue;
      if (quantity != Quantity::Unknown)
        take_quantity(quantity);
      else
        loose_part_ = is_last ? before : behind;
      result_.axis_is_loose = quantity == Quantity::Unknown;
      set_axis(token, is_last ? *back : *front, !is_last);
      return;
    }
  }

  /// Names the point after the unused rest of the name, as written.
  void name_point() {
    const auto is_left = [](const Token& token) { return !token.is_used; };
    const auto first = std::ranges::find_if(tokens_, is_left);
    if (first != tokens_.end()) {
      const auto last = std::find_if(tokens_.rbegin(), tokens_.rend(), is_left);
      result_.point = text_.substr(first->begin, last->end - first->begin);
    }
    for (const std::string_view part : {std::string_view(number_), std::string_view(loose_part_)})
      if (!part.empty()) result_.point += (result_.point.empty() ? "" : "_") + std::string(part);
  }

  static bool agree(Quantity word, Quantity unit) {
    return word == unit || word == Quantity::Other || (word == Quantity::Length && unit == Quantity::Pixel) ||
           (word == Quantity::Time && unit == Quantity::Frame) || word == Quantity::Identity;
  }

  void settle_quantity() {
    if (unit_quantity_ != Quantity::Unknown) {
      if (!result_.names_quantity)
        result_.quantity = unit_quantity_;
      else if (!agree(result_.quantity, unit_quantity_))
        result_.unclear = "(" + result_.unit + ")";
      else if (result_.quantity != Quantity::Other && result_.quantity != Quantity::Identity)
        result_.quantity = unit_quantity_;
      if (result_.loose_word != result_.unit) result_.loose_word.clear();  // the unit confirms the quantity
      result_.names_quantity = true;
    } else if (!result_.names_quantity && result_.axis) {
      result_.quantity = Quantity::Length;
    }
    // Without an axis or a quantity, the whole name is that of a point; times may be numbered: "t_1", "Time Run 1".
    if (!result_.axis && !result_.names_quantity) result_.point = text_;
  }

  std::string text_;
  std::vector<Token> tokens_;
  std::string number_, loose_part_;
  Quantity unit_quantity_ = Quantity::Unknown;
  ColumnName result_;
};

}  // namespace

ColumnName parse_column_name(std::string_view name) { return Parsing(name).result(); }

ColumnName with_named_point(ColumnName column) {
  if (column.loose_word.empty()) return column;
  if (column.unit == column.loose_word) {
    column.unit.clear();
    column.factor = 1;
  }
  column.quantity = Quantity::Length;
  column.names_quantity = !column.unit.empty();
  column.point += (column.point.empty() ? "" : "_") + column.loose_word;
  column.loose_word.clear();
  return column;
}

}  // namespace pithball::datasets
