#include "datasets/capture/npy_reader.hpp"

#include <zip.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>

#include "datasets/text/foreign_file.hpp"
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

namespace {

constexpr const char* usual_name = "positions";  // the array's usual name

bool holds_positions(const NpyView& array) {
  return array.is_float() && array.shape().size() == 3 && array.shape()[2] == 3;
}

std::string printed_shape(const NpyView& array) {
  std::string text = array.is_float() ? "floats [" : "integers [";
  for (const std::uint64_t length : array.shape()) text += std::to_string(length) + "][";
  return text.substr(0, text.size() - 1);
}

MarkerFile with_positions(const NpyView& array, const std::string& path) {
  MarkerFile file;
  file.path = path;
  file.unit = 1;
  const std::uint64_t frames = array.shape()[0], markers = array.shape()[1];
  if (array.size() == 0) return file;
  for (std::uint64_t m = 0; m < markers; ++m) file.markers.push_back(std::to_string(m));
  for (std::uint64_t f = 0; f < frames; ++f) {
    sim::Points& x = file.positions.emplace_back(3, static_cast<Index>(markers));
    for (std::uint64_t m = 0; m < markers; ++m)
      for (std::uint64_t a = 0; a < 3; ++a) x(a, m) = array.at({f, m, a});
  }
  return file;
}

/// The arrays NAME.npy of an archive, each read on first use.
class NpzArchive {
 public:
  explicit NpzArchive(const std::string& path) : path_(path) {
    int code = 0;
    archive_.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
    if (!archive_) reject("NumPy archive", "must be a zip file", "libzip error " + std::to_string(code));
    for (zip_int64_t k = 0; k < zip_get_num_entries(archive_.get(), 0); ++k) list(static_cast<zip_uint64_t>(k));
    require_modest("arrays together", total_, std::filesystem::file_size(path));
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& [name, entry] : entries_) all.push_back(name);
    return all;
  }

  /// The array of this name; null if it is missing or not numeric. Archives also contain texts and flags, which are
  /// ignored.
  const NpyView* find(const std::string& name) {
    const auto entry = entries_.find(name);
    if (entry == entries_.end()) return nullptr;
    if (const auto known = views_.find(name); known != views_.end()) return &known->second;
    const std::string& bytes = bytes_[name] = read(name, entry->second);
    try {
      return &views_.try_emplace(name, bytes, path_ + " '" + name + "'").first->second;
    } catch (const InvalidArgument&) {
      if (name == usual_name) throw;
      bytes_.erase(name);
      return nullptr;
    }
  }

 private:
  struct Entry {
    zip_uint64_t index = 0, size = 0;
  };

  [[noreturn]] void reject(const std::string& what, const std::string& required, const std::string& got) const {
    throw InvalidArgument({path_, what, required, got, "save the arrays again with numpy.savez"});
  }

  /// Rejects compression by more than a factor of 100, since a few compressed bytes can expand to any number of zeros.
  void require_modest(const std::string& what, zip_uint64_t size, zip_uint64_t packed) const {
    constexpr zip_uint64_t slack = zip_uint64_t{16} << 20;
    if (size > slack && (size - slack) / 100 > packed)
      reject(what, "must not be packed more than a hundredfold",
             std::to_string(packed) + " bytes for " + std::to_string(size));
  }

  void list(zip_uint64_t k) {
    zip_stat_t status;
    if (zip_stat_index(archive_.get(), k, 0, &status) != 0 || !(status.valid & ZIP_STAT_NAME) ||
        !(status.valid & ZIP_STAT_SIZE) || !(status.valid & ZIP_STAT_COMP_SIZE))
      reject("entry " + std::to_string(k), "must state its name and size", "none");
    std::string name = status.name;
    if (!name.ends_with(".npy")) return;
    name.resize(name.size() - 4);
    require_modest("array '" + name + "'", status.size, status.comp_size);
    constexpr zip_uint64_t most = zip_uint64_t{1} << 48;  // no file is larger, and sums do not overflow
    total_ = std::min(most, total_ + std::min<zip_uint64_t>(most, status.size));
    entries_[name] = {k, status.size};
  }

  std::string read(const std::string& name, const Entry& entry) const {
    const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen_index(archive_.get(), entry.index, 0),
                                                                 zip_fclose);
    std::string bytes;
    if (file) bytes.resize(entry.size);
    if (!file || zip_fread(file.get(), bytes.data(), bytes.size()) != static_cast<zip_int64_t>(bytes.size()))
      reject("array '" + name + "'", "must be readable", zip_strerror(archive_.get()));
    return bytes;
  }

  std::string path_;
  std::unique_ptr<zip_t, void (*)(zip_t*)> archive_{nullptr, zip_discard};
  std::map<std::string, Entry> entries_;
  std::map<std::string, std::string> bytes_;
  std::map<std::string, NpyView> views_;
  zip_uint64_t total_ = 0;
};

/// Returns the array `positions` or, if it is missing, the only array that could contain positions.
const NpyView& find_positions(NpzArchive& archive, const std::string& path) {
  if (const NpyView* named = archive.find(usual_name); named && holds_positions(*named)) return *named;
  std::string known;
  std::vector<const NpyView*> candidates;
  for (const std::string& name : archive.names()) {
    const NpyView* array = archive.find(name);
    if (!array) continue;
    known += (known.empty() ? "" : ", ") + name + " " + printed_shape(*array);
    if (holds_positions(*array)) candidates.push_back(array);
  }
  if (candidates.size() != 1)
    throw InvalidArgument({path, "NumPy archive",
                           "must contain one array of floats [frames][markers][3], or one named positions",
                           known.empty() ? "no array of numbers" : known, "save it as positions"});
  return *candidates.front();
}

}  // namespace

MarkerFile read_npy(const std::string& path) {
  const std::string bytes = read_text_file(path, "recording", most_recording_bytes);
  if (!bytes.starts_with("\x93NUMPY")) reject_foreign(path, bytes, FileUse::Recording);
  const NpyView array(bytes, path);
  if (!holds_positions(array))
    throw InvalidArgument(
        {path, "array", "must be floats [frames][markers][3]", printed_shape(array), "reshape it in NumPy"});
  return with_positions(array, path);
}

MarkerFile read_npz(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    throw InvalidArgument({path, "recording file", "must exist and be a file", "no such file", "check the path"});
  if (read_beginning(path, 2) != "PK") reject_foreign_file(path, FileUse::Recording);
  NpzArchive archive(path);
  if (archive.names().empty()) reject_foreign_file(path, FileUse::Recording);
  MarkerFile file = with_positions(find_positions(archive, path), path);
  for (const char* name : {"times", "time", "t"}) {
    const NpyView* times = archive.find(name);
    if (!times) continue;
    if (times->shape() != std::vector<std::uint64_t>{file.positions.size()})
      throw InvalidArgument({path, name, "must be an array [" + std::to_string(file.positions.size()) + "]",
                             printed_shape(*times), "save one time for each frame"});
    for (std::uint64_t f = 0; f < times->size(); ++f) file.time.push_back(times->at({f}));
    break;
  }
  if (const NpyView* rate = archive.find("rate"); rate && rate->size() == 1)
    file.rate = rate->at(std::vector<std::uint64_t>(rate->shape().size(), 0));
  return file;
}

}  // namespace pithball::datasets
