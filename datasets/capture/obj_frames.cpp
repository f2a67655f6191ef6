#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <tuple>

#include "datasets/capture/capture_reader.hpp"
#include "datasets/capture/capture_spec.hpp"
#include "datasets/mesh/mesh_reader.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

namespace {

struct FrameFile {
  Index number = 0;  ///< the last run of digits in the name; −1 without one
  std::string path;
};

Index last_number(const std::string& stem) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto end = std::find_if(stem.rbegin(), stem.rend(), is_digit).base();
  auto begin = end;
  while (begin != stem.begin() && is_digit(*(begin - 1))) --begin;
  return parse_integer(std::string(begin, end)).value_or(-1);
}

}  // namespace

Capture read_obj_frames(const ObjFramesSpec& spec) {
  if (!(spec.rate > 0) || !std::isfinite(spec.rate))
    throw InvalidArgument(
        {spec.folder, "rate", "must be > 0 1/s", std::to_string(spec.rate), "give frames per second"});
  std::error_code failure;
  std::vector<FrameFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(spec.folder, failure)) {
    std::string ending = entry.path().extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (ending == ".obj") files.push_back({last_number(entry.path().stem().string()), entry.path().string()});
  }
  if (failure)
    throw InvalidArgument(
        {spec.folder, "folder of frames", "must be a readable folder", failure.message(), "check the path"});
  if (files.empty())
    throw InvalidArgument({spec.folder, "folder of frames", "must contain .obj files", "none", "check the path"});
  std::sort(files.begin(), files.end(), [](const FrameFile& a, const FrameFile& b) {
    return std::tie(a.number, a.path) < std::tie(b.number, b.path);
  });

  std::vector<double> time;
  for (std::size_t k = 0; k < files.size(); ++k) {
    if (spec.number_from_name && (files[k].number < 0 || (k > 0 && files[k].number == files[k - 1].number)))
      throw InvalidArgument({files[k].path, "frame", "must have a unique number in its name",
                             files[k].number < 0 ? "none" : std::to_string(files[k].number) + " twice",
                             "rename the files like frame_0000.obj, or count them (number_from_name: false)"});
    time.push_back(
        static_cast<double>(spec.number_from_name ? files[k].number - files[0].number : static_cast<Index>(k)) /
        spec.rate);
  }
  const sim::Mat3 matrix = matrix_of(spec.frame_of_reference, spec.folder);
  const auto kept = kept_frames(spec.subset, time, spec.folder);

  Capture capture;
  const std::filesystem::path folder = std::filesystem::path(spec.folder).lexically_normal();
  capture.name = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  capture.time.resize(kept.size());
  std::vector<std::vector<Index>> faces;
  std::string first;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const FrameFile& file = files[kept[k]];
    const Mesh mesh = read_mesh(file.path);
    const Index vertices = mesh.vertices.cols();
    if (k == 0) {
      first = file.path;
      faces = mesh.faces;
      for (Index v = 0; v < vertices; ++v) capture.markers.push_back(std::to_string(v));
    } else if (vertices != static_cast<Index>(capture.markers.size()) || mesh.faces != faces) {
      throw InvalidArgument({file.path, "frame", "must have the vertices and faces of " + first,
                             std::to_string(vertices) + " vertices, " + std::to_string(mesh.faces.size()) + " faces" +
                                 (vertices == static_cast<Index>(capture.markers.size()) ? " that differ" : ""),
                             "remove the file or track the motion again without remeshing"});
    }
    capture.time[k] = time[kept[k]];
    capture.positions.push_back(matrix * mesh.vertices);
    capture.present.emplace_back(static_cast<std::size_t>(vertices), true);
  }
  return capture;
}

}  // namespace pithball::datasets
