#include "datasets/text/unit_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <numbers>
#include <string>
#include <unordered_map>
#include <utility>

#include "datasets/text/text_scan.hpp"

namespace pithball::datasets {
namespace {

using Units = std::unordered_map<std::string, UnitName>;

constexpr double standard_gravity = 9.80665;  // [m/s²], CODATA

/// Symbols, as written.
const Units& symbols() {
  using enum Quantity;
  static const Units known{{"m", {Length, 1}},
                           {"cm", {Length, 1e-2}},
                           {"mm", {Length, 1e-3}},
                           {"um", {Length, 1e-6}},
                           {"nm", {Length, 1e-9}},
                           {"pm", {Length, 1e-12}},
                           {"dm", {Length, 1e-1}},
                           {"km", {Length, 1e3}},
                           {"in", {Length, 0.0254}},
                           {"ft", {Length, 0.3048}},
                           {"Å", {Length, 1e-10}},
                           {"px", {Pixel, 1}},
                           {"pxl", {Pixel, 1}},
                           {"pix", {Pixel, 1}},
                           {"rad", {Angle, 1}},
                           {"mrad", {Angle, 1e-3}},
                           {"deg", {Angle, std::numbers::pi / 180}},
                           {"°", {Angle, std::numbers::pi / 180}},
                           {"gon", {Angle, std::numbers::pi / 200}},  // not "grad", which is a degree in German
                           {"rev", {Angle, 2 * std::numbers::pi}},
                           {"N", {Force, 1}},
                           {"mN", {Force, 1e-3}},
                           {"uN", {Force, 1e-6}},
                           {"nN", {Force, 1e-9}},
                           {"pN", {Force, 1e-12}},
                           {"kN", {Force, 1e3}},
                           {"dyn", {Force, 1e-5}},
                           {"kgf", {Force, standard_gravity}},
                           {"gf", {Force, 1e-3 * standard_gravity}},
                           {"lbf", {Force, 4.4482216152605}},
                           {"g", {Acceleration, standard_gravity}},
                           {"mg", {Acceleration, 1e-3 * standard_gravity}},
                           {"gn", {Acceleration, standard_gravity}},
                           {"g0", {Acceleration, standard_gravity}},
                           {"Gal", {Acceleration, 1e-2}},
                           {"s", {Time, 1}},
                           {"sec", {Time, 1}},
                           {"secs", {Time, 1}},
                           {"ms", {Time, 1e-3}},
                           {"msec", {Time, 1e-3}},
                           {"us", {Time, 1e-6}},
                           {"usec", {Time, 1e-6}},
                           {"ns", {Time, 1e-9}},
                           {"min", {Time, 60}},
                           {"h", {Time, 3600}},
                           {"hr", {Time, 3600}},
                           {"kph", {Velocity, 1 / 3.6}},
                           {"kmh", {Velocity, 1 / 3.6}},
                           {"mph", {Velocity, 0.44704}},
                           {"fr", {Frame, 1}}};
  return known;
}

/// Words, in lower case and in the singular.
const Units& words() {
  using enum Quantity;
  static const Units known{{"meter", {Length, 1}},
                           {"metre", {Length, 1}},
                           {"centimeter", {Length, 1e-2}},
                           {"centimetre", {Length, 1e-2}},
                           {"millimeter", {Length, 1e-3}},
                           {"millimetre", {Length, 1e-3}},
                           {"micrometer", {Length, 1e-6}},
                           {"micrometre", {Length, 1e-6}},
                           {"micron", {Length, 1e-6}},
                           {"nanometer", {Length, 1e-9}},
                           {"nanometre", {Length, 1e-9}},
                           {"angstrom", {Length, 1e-10}},
                           {"kilometer", {Length, 1e3}},
                           {"kilometre", {Length, 1e3}},
                           {"inch", {Length, 0.0254}},
                           {"inche", {Length, 0.0254}},  // "inches" without its s
                           {"foot", {Length, 0.3048}},
                           {"feet", {Length, 0.3048}},
                           {"pixel", {Pixel, 1}},
                           {"degree", {Angle, std::numbers::pi / 180}},
                           {"radian", {Angle, 1}},
                           {"turn", {Angle, 2 * std::numbers::pi}},
                           {"revolution", {Angle, 2 * std::numbers::pi}},
                           {"newton", {Force, 1}},
                           {"millinewton", {Force, 1e-3}},
                           {"second", {Time, 1}},
                           {"millisecond", {Time, 1e-3}},
                           {"microsecond", {Time, 1e-6}},
                           {"nanosecond", {Time, 1e-9}},
                           {"minute", {Time, 60}},
                           {"hour", {Time, 3600}},
                           {"frame", {Frame, 1}}};
  return known;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// Normalizes exponents, products and micro: "m·s⁻²" becomes "m s^-2", "µm" becomes "um".
std::string plain(std::string_view name) {
  std::string text(trim(name));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 16> spellings{{{"\xC2\xB5", "u"},
                                                                                     {"\xCE\xBC", "u"},
                                                                                     {"\xE2\x84\xAB", "Å"},
                                                                                     {"⁻", "^-"},
                                                                                     {"²", "^2"},
                                                                                     {"¹", "^1"},
                                                                                     {"³", "^3"},
                                                                                     {"^^", "^"},
                                                                                     {"^-^", "^-"},
                                                                                     {"**", "^"},
                                                                                     {"·", " "},
                                                                                     {"⋅", " "},
                                                                                     {"*", " "},
                                                                                     {"−", "-"},
                                                                                     {"^{", "^"},
                                                                                     {"}", ""}}};
  for (const auto& [from, to] : spellings) replace_all(text, from, to);
  return text;
}

/// Finds a unit without exponents.
std::optional<UnitName> find_simple(std::string_view name) {
  if (const auto found = symbols().find(std::string(name)); found != symbols().end()) return found->second;
  std::string word(name);
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (int plural = 0; plural < 2; ++plural) {
    if (const auto found = words().find(word); found != words().end()) return found->second;
    // Capitals are ignored (MM, Px) unless they denote a unit of another size (MN, G).
    const auto symbol = symbols().find(word);
    const bool has_other_size =
        symbol != symbols().end() && (symbol->second.quantity == Quantity::Force || word == "g");
    if (plural == 0 && symbol != symbols().end() && !has_other_size) return symbol->second;
    if (!word.ends_with('s')) break;
    word.pop_back();
  }
  return {};
}

/// Returns the exponent in "s^-2", "s-2", "s2"; 1 without one. Stores the letters in front of it in `symbol`.
std::optional<int> take_exponent(std::string_view& symbol) {
  const std::size_t end = symbol.find_first_of("^-0123456789");
  if (end == std::string_view::npos) return 1;
  std::string_view power = symbol.substr(end);
  if (power.starts_with('^')) power.remove_prefix(1);
  symbol = symbol.substr(0, end);
  const auto number = parse_integer(power);
  return number && *number >= -2 && *number <= 2 ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

/// Finds quotients of a length or an angle and times: "m/s", "mm/s^2", "m s^-1", "m/s/s", "deg/s".
std::optional<UnitName> find_quotient(const std::string& text) {
  const std::size_t end = text.find_first_of("/ ");
  if (end == std::string::npos) return {};
  const auto length = find_simple(std::string_view(text).substr(0, end));
  if (!length) return {};
  double factor = length->factor;
  int power = 0;  // of time
  for (std::size_t at = end; at < text.size();) {
    const bool divides = text[at] == '/';
    const std::size_t next = std::min(text.find_first_of("/ ", at + 1), text.size());
    std::string_view symbol = trim(std::string_view(text).substr(at + 1, next - at - 1));
    at = next;
    if (symbol.empty()) continue;
    const auto exponent = take_exponent(symbol);
    const auto time = find_simple(symbol);
    if (!exponent || !time || time->quantity != Quantity::Time) return {};
    const int here = divides ? -*exponent : *exponent;
    power += here;
    for (int k = 0; k < std::abs(here); ++k) factor = here < 0 ? factor / time->factor : factor * time->factor;
  }
  if (length->quantity == Quantity::Length && power == -1) return UnitName{Quantity::Velocity, factor};
  if (length->quantity == Quantity::Length && power == -2) return UnitName{Quantity::Acceleration, factor};
  if (power < 0) return UnitName{Quantity::Other, factor};  // angular velocities, pixels per frame
  return {};
}

}  // namespace

const char* plural(Quantity quantity) {
  switch (quantity) {
    case Quantity::Length:
      return "positions";
    case Quantity::Pixel:
      return "pixels";
    case Quantity::Angle:
      return "angles";
    case Quantity::Velocity:
      return "velocities";
    case Quantity::Acceleration:
      return "accelerations";
    case Quantity::Force:
      return "forces";
    case Quantity::Time:
      return "times";
    case Quantity::Frame:
      return "frame numbers";
    case Quantity::Identity:
      return "marker names";
    case Quantity::Likelihood:
      return "likelihoods";
    case Quantity::Other:
      return "another quantity";
    case Quantity::Unknown:
      return "not understood";
  }
  return "";
}

std::optional<UnitName> find_unit(std::string_view name) {
  const std::string text = plain(name);
  if (text.empty()) return {};
  if (const auto simple = find_simple(text)) return simple;
  return find_quotient(text);
}

}  // namespace pithball::datasets
