#include "app/yaml/quantity.hpp"

#include <fmt/format.h>
#include <udunits2.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <numbers>
#include <utility>
#include <vector>

#include "app/base/program_folder.hpp"
#include "sim/core/text.hpp"

namespace pithball::app {
namespace {

using Unit = std::unique_ptr<ut_unit, decltype(&ut_free)>;
using Converter = std::unique_ptr<cv_converter, decltype(&cv_free)>;

/// A unit that is `value` times the unit `si`.
struct DefinedUnit {
  double value;
  const char* si;
  std::vector<const char*> names, symbols;
};
/// Units that represent constants of nature: their values in CODATA 2018 (Tiesinga, Mohr, Newell and Taylor, Rev. Mod.
/// Phys. 93, 2021), consistent with k_c and G. The values in the database are those of 1986 and 2006.
const std::vector<DefinedUnit>& natural_units() {
  static const std::vector<DefinedUnit> units{
      {1.66053906660e-27,
       "kg",
       {"unified_atomic_mass_unit", "unified_atomic_mass_units", "atomic_mass_unit", "atomic_mass_units",
        "atomicmassunit", "atomicmassunits", "amu"},
       {"u"}},
      {1.602176634e-19, "C", {}, {"e"}},
      {1.602176634e-19, "J", {"electronvolt", "electronvolts", "electron_volt", "electron_volts"}, {"eV"}},
      {1.66053906660e-27, "kg", {"dalton", "daltons"}, {"Da"}},
      {4.3597447222071e-18, "J", {"hartree", "hartrees", "Hartree", "Hartrees"}, {}}};
  return units;
}

/// Common spellings that the database lacks.
const std::vector<DefinedUnit>& added_units() {
  constexpr double c = 299792458;  // [m/s]; with its numerical value, 1 statC = 0.1/c C and 1 statV = 1e-6 c V exactly
  static const std::vector<DefinedUnit> units{{std::numbers::pi / 180, "rad", {}, {"deg"}},
                                              {0.1 / c, "C", {"statcoulomb", "statcoulombs"}, {"statC"}},
                                              {1e-6 * c, "V", {"statvolt", "statvolts"}, {"statV"}},
                                              // thermochemical, as in force fields; the database has the IT calorie
                                              {4.184, "J", {"calorie", "calories"}, {"cal"}},
                                              {1024.0, "B", {}, {"KiB"}},
                                              {1024.0 * 1024.0, "B", {}, {"MiB"}},
                                              {1024.0 * 1024.0 * 1024.0, "B", {}, {"GiB"}}};
  return units;
}

void redefine(ut_system* system, const DefinedUnit& unit) {
  const Unit si(ut_parse(system, unit.si, UT_UTF8), ut_free);
  const Unit defined(ut_scale(unit.value, si.get()), ut_free);
  for (const char* name : unit.names) {
    ut_unmap_name_to_unit(system, name, UT_ASCII);
    ut_map_name_to_unit(name, UT_ASCII, defined.get());
  }
  for (const char* symbol : unit.symbols) {
    ut_unmap_symbol_to_unit(system, symbol, UT_ASCII);
    ut_map_symbol_to_unit(symbol, UT_ASCII, defined.get());
  }
}

/// Defines a base unit. The database defines a byte as a plain number, so that `1 GB` would be accepted where no unit
/// is allowed, while `1 B` would be unknown. It does not define a pixel.
void define_base(ut_system* system, const char* name, const char* plural, const char* symbol) {
  const Unit unit(ut_new_base_unit(system), ut_free);
  for (const char* known : {name, plural}) {
    ut_unmap_name_to_unit(system, known, UT_ASCII);
    ut_map_name_to_unit(known, UT_ASCII, unit.get());
  }
  ut_unmap_symbol_to_unit(system, symbol, UT_ASCII);
  ut_map_symbol_to_unit(symbol, UT_ASCII, unit.get());
}

/// The unit database of UDUNITS-2.
struct UnitSystem {
  ut_system* handle = nullptr;  ///< null: it cannot be read
  std::string reason;           ///< the cause, worded to follow "because the database"
};

/// Returns the database, which is read at the first call.
const UnitSystem& unit_database() {
  struct System : UnitSystem {
    System() {
      const sim::CLocale plain;
      ut_set_error_message_handler(ut_ignore);  // errors are reported by the caller, with their position in the file
      const std::string carried =
          find_shared_file("udunits/udunits2.xml").string();  // if the installed package contains a copy
      errno = 0;
      handle = ut_read_xml(carried.empty() ? nullptr : carried.c_str());
      if (!handle)
        reason = errno == 0 || errno == ENOENT ? "is missing" : std::string("cannot be read: ") + std::strerror(errno);
      if (!handle) return;
      for (const DefinedUnit& unit : natural_units()) redefine(handle, unit);
      define_base(handle, "byte", "bytes", "B");
      define_base(handle, "pixel", "pixels", "px");
      for (const DefinedUnit& unit : added_units()) redefine(handle, unit);
    }
    ~System() { ut_free_system(handle); }
    System(const System&) = delete;
    System& operator=(const System&) = delete;
  };
  static const System system;
  return system;
}

ut_system* unit_system() { return unit_database().handle; }

/// Units of the database with several common meanings, and the text to write instead.
constexpr std::array<std::pair<const char*, const char*>, 3> ambiguous_units{
    {{"gr", "grams are `g`, grains (64.8 mg) `grain`"},
     {"ton", "1000 kg are a `tonne`, 2000 lb a `short_ton`"},
     {"tons", "1000 kg are a `tonne`, 2000 lb a `short_ton`"}}};

/// Whether both units have the same dimension. The library also converts a unit to its reciprocal, which would turn a
/// compliance into a stiffness and a frequency into a time.
bool measure_the_same(const ut_unit* given, const ut_unit* target) {
  const Unit ratio(ut_divide(given, target), ut_free);
  const Unit one(ut_get_dimensionless_unit_one(unit_system()), ut_free);
  if (!ratio || !ut_are_convertible(ratio.get(), one.get())) return false;
  std::array<char, 256> text{};  // the library treats rad as dimensionless, but the definition contains it
  const int length = ut_format(ratio.get(), text.data(), text.size() - 1, UT_ASCII | UT_DEFINITION);
  const std::string_view definition(text.data(), std::max(length, 0));
  return definition.find("rad-2") == std::string_view::npos && definition.find("rad2") == std::string_view::npos;
}

Unit parse_unit(std::string_view text) {
  static std::mutex parsing;  // the library's parser keeps its state in global variables
  const std::lock_guard lock(parsing);
  return Unit(ut_parse(unit_system(), std::string(text).c_str(), UT_UTF8), ut_free);
}

/// Returns the number that `text` begins with, and its length in characters (0: none).
std::pair<double, std::size_t> leading_number(std::string_view text) {
  const bool plus = !text.empty() && text.front() == '+';  // from_chars rejects a leading plus
  const std::string_view digits = plus ? text.substr(1) : text;
  if (plus && !digits.empty() && digits.front() == '-') return {0, 0};
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range)
    value = HUGE_VAL;
  else if (error != std::errc())
    return {0, 0};
  return {value, static_cast<std::size_t>(end - text.data())};
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace

std::optional<double> read_plain_number(std::string_view text) {
  const auto [value, length] = leading_number(text);
  if (length == 0 || length != text.size()) return {};
  return value;
}

namespace {

/// Converts the number to the target's unit. If its unit is a fraction 1/n of the target (nC in C), the number is
/// divided by n and thus rounded only once: "30 nC" is the double nearest to 3e-8, which 30 · 1e-9 is not.
double convert(const cv_converter* converter, double number) {
  const double factor = cv_convert_double(converter, 1), times = std::round(1 / factor);
  const bool is_scale = cv_convert_double(converter, 0) == 0;
  const bool is_part = times > 1 && std::abs(times * factor - 1) <= 4 * std::numeric_limits<double>::epsilon();
  return is_scale && is_part ? number / times : cv_convert_double(converter, number);
}

}  // namespace

Quantity read_quantity(std::string_view text, std::string_view unit) {
  text = trimmed(text);
  const sim::CLocale plain;
  const std::string wanted = unit.empty() ? "1" : std::string(unit);
  const auto [number, length] = leading_number(text);
  if (length == 0) return {0, "not a number"};
  if (!std::isfinite(number)) return {0, "not a finite number"};
  const std::string_view suffix = trimmed(text.substr(length));
  if (suffix.empty()) return {number, ""};
  if (!unit_system())
    return {0, "units cannot be read because the database of UDUNITS-2 (package libudunits2-data) " +
                   unit_database().reason};
  for (const auto& [name, remedy] : ambiguous_units)
    if (suffix == name) return {0, fmt::format("'{}' has several meanings: {}", name, remedy)};
  // UDUNITS-2 prints line ends to standard output and stops at a zero byte.
  const Unit given = is_printable(suffix) ? parse_unit(suffix) : Unit(nullptr, ut_free);
  if (!given) return {0, fmt::format("'{}' is not a known unit", suffix)};
  const Unit target = parse_unit(wanted);
  if (!target || !ut_are_convertible(given.get(), target.get()))
    return {0, fmt::format("'{}' does not measure the same thing as '{}'", suffix, wanted)};
  if (!measure_the_same(given.get(), target.get()))
    return {0, fmt::format("'{}' is the reciprocal of '{}'", suffix, wanted)};
  const Converter converter(ut_get_converter(given.get(), target.get()), cv_free);
  const double value = convert(converter.get(), number);
  if (!std::isfinite(value)) return {0, "not a finite number"};
  return {value, ""};
}

namespace {

bool are_digits(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

bool is_whole(const std::string& text) {
  const bool has_sign = text.starts_with('-') || text.starts_with('+');
  return are_digits(has_sign ? text.substr(1) : text);
}

bool touch(const Tree& left, const Tree& right) {
  return left.place.line == right.place.line &&
         right.place.column == left.place.column + static_cast<int>(left.text.size()) + 1;
}

}  // namespace

std::string decimal_comma_remedy(const Tree& list, std::string otherwise) {
  for (std::size_t k = 0; k + 1 < list.entries.size(); ++k) {
    const Tree &left = list.entries[k], &right = list.entries[k + 1];
    // In `9,0` the comma is probably not a decimal one: these are two numbers.
    if (!is_whole(left.text) || !are_digits(right.text) || right.text == "0" || !touch(left, right)) continue;
    return "if '" + left.text + "," + right.text + "' has a decimal comma, write " + left.text + "." + right.text;
  }
  return otherwise;
}

}  // namespace pithball::app
