#include "datasets/manifest/manifest.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "datasets/manifest/sha256.hpp"
#include "datasets/text/nearest.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

namespace {

namespace fs = std::filesystem;

std::string marked_place(const std::string& file, const YAML::Mark& mark) {
  return file + ":" + std::to_string(mark.line + 1) + ":" + std::to_string(mark.column + 1);
}

/// A mapping of the manifest; unknown keys are rejected.
class Entry {
 public:
  Entry(const std::string& file, const YAML::Node& node, const std::vector<std::string>& known)
      : file_(file), node_(node) {
    if (!node.IsMap())
      throw InvalidArgument(
          {marked_place(file, node.Mark()), "entry", "must be a mapping", "", "write key: value lines"});
    for (const auto& pair : node) {
      const auto key = pair.first.as<std::string>();
      if (std::find(known.begin(), known.end(), key) == known.end())
        throw InvalidArgument(
            {marked_place(file, pair.first.Mark()), key, "must be a known key", "", suggestion(key, known)});
    }
  }
  std::string text(const char* key) const {
    const YAML::Node value = node_[key];
    return value && value.IsScalar() ? value.as<std::string>() : std::string();
  }
  std::string required(const char* key) const {
    std::string value = text(key);
    if (value.empty())
      throw InvalidArgument({marked_place(file_, node_.Mark()), key, "must be given", "nothing", "add the key"});
    return value;
  }

 private:
  std::string file_;
  YAML::Node node_;
};

DataFile read_file(const std::string& manifest, const YAML::Node& node, const Entry& set) {
  const Entry entry(manifest, node, {"name", "repository", "commit", "path", "derived", "sha256"});
  DataFile file;
  file.name = entry.required("name");
  file.derived = entry.text("derived");
  file.sha256 = entry.required("sha256");
  if (file.sha256.size() != 64 || file.sha256.find_first_not_of("0123456789abcdef") != std::string::npos)
    throw InvalidArgument({marked_place(manifest, node["sha256"].Mark()), "sha256", "must be 64 hexadecimal digits",
                           file.sha256, "paste the output of sha256sum"});
  const fs::path path(file.name);
  if (path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end())
    throw InvalidArgument({marked_place(manifest, node["name"].Mark()), "name",
                           "must be inside the folder of the data set", file.name,
                           "give a relative path without '..'"});
  if (!file.derived.empty()) return file;
  file.repository = entry.text("repository").empty() ? set.required("repository") : entry.text("repository");
  file.commit = entry.text("commit").empty() ? set.required("commit") : entry.text("commit");
  if (node["path"] && node["path"].IsSequence()) {
    file.paths = node["path"].as<std::vector<std::string>>();
  } else {
    file.paths = {entry.required("path")};
  }
  return file;
}

/// Returns the value of an environment variable if it is an absolute path, otherwise an empty path.
fs::path absolute_path_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value && fs::path(value).is_absolute() ? fs::path(value) : fs::path();
}

/// Returns the user's data folder; empty if the environment defines no home.
fs::path find_user_data_folder() {
  const fs::path data = absolute_path_of("XDG_DATA_HOME"), home = absolute_path_of("HOME");
  if (!data.empty()) return data / "pithball";
  return home.empty() ? home : home / ".local/share/pithball";
}

/// Returns the first of a folder and its parents that contains `name`, as an absolute path; empty if none does.
std::string find_upwards(fs::path folder, const fs::path& name) {
  std::error_code ignored;
  for (;; folder = folder.parent_path()) {
    if (fs::exists(folder / name, ignored)) return (folder / name).string();
    if (folder == folder.parent_path()) return {};
  }
}

}  // namespace

const DataSet& Manifest::at(const std::string& name) const {
  std::vector<std::string> names;
  for (const DataSet& set : sets) {
    if (set.name == name) return set;
    names.push_back(set.name);
  }
  throw InvalidArgument({file, "data set", "must be one of " + joined(names), "'" + name + "'",
                         suggestion(name, names, "choose one of these")});
}

std::string Manifest::shipped_folder() const { return (fs::absolute(file).parent_path() / "recordings").string(); }

std::string find_manifest() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path tree = "datasets/manifest.yaml";
  const fs::path installed = program.parent_path().parent_path() / "share" / "pithball" / "manifest.yaml";
  if (fs::exists(installed, ignored)) return installed.string();
  if (const std::string own = find_upwards(program.parent_path(), tree); !own.empty()) return own;
  if (const std::string around = find_upwards(fs::current_path(), tree); !around.empty()) return around;
  throw InvalidArgument({tree.string(), "manifest", "must exist in a folder above the program or the current one",
                         "none", "run inside the source tree or install the program"});
}

Manifest load_manifest(const std::string& file) {
  const std::string text = read_text_file(file, "manifest");
  Manifest manifest{file, {}};
  try {
    for (const auto& pair : YAML::Load(text)) {
      const Entry entry(file, pair.second,
                        {"title", "kind", "repository", "commit", "license", "citation", "units", "files"});
      DataSet set;
      set.name = pair.first.as<std::string>();
      set.title = entry.required("title");
      set.kind = entry.required("kind");
      set.license = entry.required("license");
      set.citation = entry.required("citation");
      set.units = entry.required("units");
      for (const auto& node : pair.second["files"]) set.files.push_back(read_file(file, node, entry));
      if (set.files.empty())
        throw InvalidArgument(
            {marked_place(file, pair.first.Mark()), "files", "must list at least one file", "none", "add the files"});
      manifest.sets.push_back(std::move(set));
    }
  } catch (const YAML::Exception& error) {
    throw InvalidArgument(
        {marked_place(file, error.mark), "manifest", "must be valid YAML", error.msg, "correct the line"});
  }
  return manifest;
}

std::string user_data_folder() {
  const fs::path folder = find_user_data_folder();
  if (folder.empty())
    throw InvalidArgument({"", "XDG_DATA_HOME or HOME", "must give the folder of the data sets", "neither",
                           "set one of them to an absolute path"});
  return folder.string();
}

std::string find_dataset(const Manifest& manifest, const std::string& name) {
  manifest.at(name);
  std::string places;
  const char* named = std::getenv("PITHBALL_DATA");
  for (const fs::path& place :
       {fs::path(named ? named : ""), fs::path(manifest.shipped_folder()), find_user_data_folder()}) {
    std::error_code ignored;
    if (place.empty()) continue;
    if (fs::is_directory(place / name, ignored)) return (place / name).string();
    places += (places.empty() ? "" : " or ") + place.string();
  }
  throw InvalidArgument({name, "data set", "must be in " + places, "nothing there",
                         "run 'pithball data get " + name + "', or set PITHBALL_DATA to a folder that holds " + name});
}

std::vector<FileReport> verify(const DataSet& set, const std::string& folder) {
  std::vector<FileReport> reports;
  for (const DataFile& file : set.files) {
    FileReport report{file.name, FileStatus::Ok, file.derived};
    const fs::path path = fs::path(folder) / file.name;
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) {
      report.status = FileStatus::Missing;
    } else if (sha256_of_file(path.string()) != file.sha256) {
      report.status = FileStatus::Changed;
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace pithball::datasets
