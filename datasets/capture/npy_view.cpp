#include "datasets/capture/npy_view.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "datasets/text/text_scan.hpp"
#include "sim/core/checked_product.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

[[noreturn]] void reject_npy(const std::string& where, const std::string& what, const std::string& required,
                             const std::string& got) {
  throw InvalidArgument({where, what, required, got, "save the array again with numpy.save or numpy.savez"});
}

/// The value of a key in the header's dictionary, up to the end of the header.
std::string_view value_of(std::string_view header, std::string_view key, const std::string& where) {
  const std::size_t at = header.find("'" + std::string(key) + "'");
  const std::size_t colon = at == std::string_view::npos ? at : header.find(':', at);
  if (colon == std::string_view::npos) reject_npy(where, "header", "must name " + std::string(key), "none");
  return trim(header.substr(colon + 1));
}

template <class Number>
double element(const char* bytes, bool swapped) {
  char ordered[sizeof(Number)];
  std::copy(bytes, bytes + sizeof(Number), ordered);
  if (swapped) std::reverse(ordered, ordered + sizeof(Number));
  Number value;
  std::memcpy(&value, ordered, sizeof value);
  return value;
}

}  // namespace

NpyView::NpyView(std::string_view bytes, const std::string& where) {
  if (!bytes.starts_with("\x93NUMPY") || bytes.size() < 12)
    reject_npy(where, "NumPy array", "must begin with NumPy's magic number", "something else");
  const auto byte = [&](std::size_t k) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[k])); };
  const std::size_t version = byte(6), start = version == 1 ? 10 : 12;
  if (version < 1 || version > 3) reject_npy(where, "version", "must be 1, 2 or 3", std::to_string(version));
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > bytes.size() - start)
    reject_npy(where, "header", "must be within the file", std::to_string(length) + " bytes");
  read_header(bytes.substr(start, length), where);
  elements_ = bytes.substr(start + length);
  if (size_ != elements_.size() / width_ || elements_.size() % width_ != 0)
    reject_npy(where, "elements", "must be the " + std::to_string(size_) + " of the shape",
               std::to_string(elements_.size()) + " bytes");
}

void NpyView::read_header(std::string_view header, const std::string& where) {
  const std::string_view type = value_of(header, "descr", where);
  const std::string_view word = type.substr(0, std::min(type.find('\'', 1), type.size()));  // '<f8
  const bool known = word.size() == 4 && word[0] == '\'' && (word[1] == '<' || word[1] == '>') &&
                     (word[2] == 'f' || word[2] == 'i') && (word[3] == '4' || word[3] == '8');
  if (!known)
    reject_npy(where, "elements", "must be float32, float64, int32 or int64", std::string(type.substr(0, 12)));
  swapped_ = (word[1] == '<') != (std::endian::native == std::endian::little);
  kind_ = word[2];
  width_ = word[3] == '4' ? 4 : 8;
  first_is_fastest_ = value_of(header, "fortran_order", where).starts_with("True");
  std::string_view list = value_of(header, "shape", where);
  const std::size_t end = list.find(')');
  if (!list.starts_with('(') || end == std::string_view::npos)
    reject_npy(where, "shape", "must be a tuple", std::string(list.substr(0, 12)));
  list = list.substr(1, end - 1);
  constexpr std::uint64_t most = std::uint64_t{1} << 48;  // no file is larger, and products do not overflow
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const auto length = parse_integer(trim(list.substr(0, comma)));
    if (!length || *length < 0 || static_cast<std::uint64_t>(*length) > most || shape_.size() > 8)
      reject_npy(where, "shape", "must be whole numbers", std::string(list.substr(0, 20)));
    shape_.push_back(*length);
    list.remove_prefix(std::min(comma + 1, list.size()));
    list = trim(list);
  }
  const auto size = checked_product(shape_, most);
  if (!size) reject_npy(where, "shape", "must fit into the file", "more than " + std::to_string(most) + " elements");
  size_ = *size;
}

double NpyView::at(const std::vector<std::uint64_t>& indices) const {
  std::uint64_t flat = 0;
  for (std::size_t k = 0; k < shape_.size(); ++k) {
    const std::size_t d = first_is_fastest_ ? shape_.size() - 1 - k : k;
    flat = flat * shape_[d] + indices[d];
  }
  const char* bytes = elements_.data() + flat * width_;
  if (kind_ == 'f') return width_ == 4 ? element<float>(bytes, swapped_) : element<double>(bytes, swapped_);
  return width_ == 4 ? element<std::int32_t>(bytes, swapped_) : element<std::int64_t>(bytes, swapped_);
}

}  // namespace pithball::datasets
