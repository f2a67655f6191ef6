#include "datasets/capture/npy_reader.hpp"

#include <zip.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "datasets/capture/npy_view.hpp"
#include "datasets/text/foreign_file.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

constexpr const char* wanted = "positions";  // the array's usual name

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

/// The arrays NAME.npy of an archive, each read when it is asked for.
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

  /// The numbers of this name; null: there are none. Archives hold texts and flags besides, which are none of ours.
  const NpyView* find(const std::string& name) {
    const auto entry = entries_.find(name);
    if (entry == entries_.end()) return nullptr;
    if (const auto known = views_.find(name); known != views_.end()) return &known->second;
    const std::string& bytes = bytes_[name] = read(name, entry->second);
    try {
      return &views_.try_emplace(name, bytes, path_ + " '" + name + "'").first->second;
    } catch (const InvalidArgument&) {
      if (name == wanted) throw;
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

  /// A few bytes can declare any number of zeros; a compression of more than a hundredfold is rejected.
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

/// The array `positions`, or else the only one that could be it.
const NpyView& find_positions(NpzArchive& archive, const std::string& path) {
  if (const NpyView* named = archive.find(wanted); named && holds_positions(*named)) return *named;
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
