#include "datasets/capture/c3d_parameters.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

std::string upper_case(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return upper;
}

/// Texts are padded with blanks, by some programs with zeros.
std::string_view unpadded(std::string_view text) { return trim(text.substr(0, text.find('\0'))); }

}  // namespace

C3dParameters::C3dParameters(const C3dBytes& bytes, std::size_t start) : bytes_(bytes) {
  // Each record: length of the name (negative: locked), group (negative: this is the group itself), name, offset of the
  // next record from here (0: none), then what it holds. A parameter may stand before its group.
  std::map<int, std::string> groups;
  std::map<std::pair<int, std::string>, Parameter> found;
  for (std::size_t at = start + 4;;) {
    const std::size_t name_length = std::abs(static_cast<std::int8_t>(bytes.byte(at)));
    if (name_length == 0) break;
    const int group = static_cast<std::int8_t>(bytes.byte(at + 1));
    const std::string name = upper_case(bytes.slice(at + 2, name_length));
    const std::size_t link = at + 2 + name_length, next = bytes.word(link);
    if (group < 0) {
      groups[-group] = name;
    } else {
      Parameter p;
      p.type = static_cast<std::int8_t>(bytes.byte(link + 2));
      const std::size_t dimensions = bytes.byte(link + 3);
      p.at = link + 4 + dimensions;
      p.count = p.length = 1;
      for (std::size_t k = 0; k < dimensions; ++k) {
        const std::size_t size = bytes.byte(link + 4 + k);
        (p.type == -1 && k == 0 ? p.length : p.count) *= size;
        if (p.count > bytes.size() || p.length > bytes.size()) bytes.slice(p.at, p.count);  // complains
      }
      bytes.slice(p.at, p.count * (p.type == -1 ? p.length : std::abs(p.type)));
      found[{group, name}] = p;
    }
    if (next == 0) break;
    at = link + next;
  }
  for (const auto& [key, parameter] : found) parameters_[groups[key.first] + ":" + key.second] = parameter;
}

const C3dParameters::Parameter* C3dParameters::find(const std::string& name) const {
  const auto found = parameters_.find(name);
  return found == parameters_.end() ? nullptr : &found->second;
}

std::optional<double> C3dParameters::number(const std::string& name, std::size_t k) const {
  const Parameter* p = find(name);
  if (!p || k >= p->count) return {};
  if (p->type == 1) return bytes_.byte(p->at + k);
  if (p->type == 2) return bytes_.word(p->at + 2 * k);
  if (p->type == 4) return static_cast<double>(bytes_.real(p->at + 4 * k));
  return {};
}

std::vector<std::string> C3dParameters::texts(const std::string& name) const {
  std::vector<std::string> list;
  const Parameter* p = find(name);
  if (!p || p->type != -1 || p->length == 0) return list;
  for (std::size_t k = 0; k < p->count; ++k)
    list.emplace_back(unpadded(bytes_.slice(p->at + k * p->length, p->length)));
  return list;
}

}  // namespace pithball::datasets
