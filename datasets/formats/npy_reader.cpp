#include "datasets/formats/npy_reader.hpp"

#include <zip.h>

#include <filesystem>
#include <map>
#include <memory>

#include "datasets/formats/npy_view.hpp"
#include "datasets/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

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
      for (std::uint64_t a = 0; a < 3; ++a) x(static_cast<Index>(a), static_cast<Index>(m)) = array.at({f, m, a});
  }
  return file;
}

/// The entries NAME.npy of an archive, by name.
std::map<std::string, std::string> read_entries(const std::string& path) {
  const auto refuse_archive = [&](const std::string& what, const std::string& required, const std::string& got) {
    throw InvalidArgument({path, what, required, got, "save the arrays again with numpy.savez"});
  };
  int code = 0;
  const std::unique_ptr<zip_t, void (*)(zip_t*)> archive(zip_open(path.c_str(), ZIP_RDONLY, &code), zip_discard);
  if (!archive) refuse_archive("NumPy archive", "must be a zip file", "libzip error " + std::to_string(code));
  std::map<std::string, std::string> entries;
  for (zip_int64_t k = 0; k < zip_get_num_entries(archive.get(), 0); ++k) {
    zip_stat_t status;
    if (zip_stat_index(archive.get(), static_cast<zip_uint64_t>(k), 0, &status) != 0 ||
        !(status.valid & ZIP_STAT_NAME) || !(status.valid & ZIP_STAT_SIZE) || !(status.valid & ZIP_STAT_COMP_SIZE))
      refuse_archive("entry " + std::to_string(k), "must tell its name and size", "none");
    std::string name = status.name;
    if (!name.ends_with(".npy")) continue;
    name.resize(name.size() - 4);
    constexpr zip_uint64_t slack = 16 << 20;
    if (status.size > slack && (status.size - slack) / 100 > status.comp_size)
      refuse_archive("array '" + name + "'", "must not be packed more than a hundredfold",
                     std::to_string(status.comp_size) + " bytes for " + std::to_string(status.size));
    const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> entry(
        zip_fopen_index(archive.get(), static_cast<zip_uint64_t>(k), 0), zip_fclose);
    std::string bytes;
    if (entry) bytes.resize(status.size);
    if (!entry || zip_fread(entry.get(), bytes.data(), bytes.size()) != static_cast<zip_int64_t>(bytes.size()))
      refuse_archive("array '" + name + "'", "must be readable", zip_strerror(archive.get()));
    entries[name] = std::move(bytes);
  }
  return entries;
}

}  // namespace

MarkerFile read_npy(const std::string& path) {
  const std::string bytes = read_text_file(path, "capture");
  const NpyView array(bytes, path);
  if (!holds_positions(array))
    throw InvalidArgument(
        {path, "array", "must be floats [frames][markers][3]", printed_shape(array), "reshape it in NumPy"});
  return with_positions(array, path);
}

MarkerFile read_npz(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    throw InvalidArgument({path, "capture file", "must exist and be a file", "no such file", "check the path"});
  const std::map<std::string, std::string> entries = read_entries(path);
  std::map<std::string, NpyView> arrays;
  std::string known;
  std::vector<const NpyView*> candidates;
  for (const auto& [name, bytes] : entries) {
    // Archives hold texts and flags besides, which are none of ours.
    try {
      const NpyView& array = arrays.try_emplace(name, bytes, path + " '" + name + "'").first->second;
      known += (known.empty() ? "" : ", ") + name + " " + printed_shape(array);
      if (holds_positions(array)) candidates.push_back(&array);
    } catch (const InvalidArgument&) {
      if (name == "positions") throw;
    }
  }
  const auto named = arrays.find("positions");
  if (named != arrays.end() && holds_positions(named->second)) candidates = {&named->second};
  if (candidates.size() != 1)
    throw InvalidArgument({path, "NumPy archive",
                           "must hold one array of floats [frames][markers][3], or call it positions",
                           known.empty() ? "no array of numbers" : known, "save it as positions"});
  MarkerFile file = with_positions(*candidates.front(), path);
  for (const char* name : {"times", "time", "t"}) {
    const auto times = arrays.find(name);
    if (times == arrays.end()) continue;
    if (times->second.shape() != std::vector<std::uint64_t>{file.positions.size()})
      throw InvalidArgument({path, name, "must be an array [" + std::to_string(file.positions.size()) + "]",
                             printed_shape(times->second), "save one time for each frame"});
    for (std::uint64_t f = 0; f < times->second.size(); ++f) file.time.push_back(times->second.at({f}));
    break;
  }
  if (const auto rate = arrays.find("rate"); rate != arrays.end() && rate->second.size() == 1)
    file.rate = rate->second.at(std::vector<std::uint64_t>(rate->second.shape().size(), 0));
  return file;
}

}  // namespace pithball::datasets
