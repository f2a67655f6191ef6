#include "app/spec/camera_calibration.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "datasets/text/text_scan.hpp"

namespace pithball::app {
namespace {

/// The same document as plain YAML of today: OpenCV's directive is that of YAML 1.0, its tag names no type of ours.
std::string plain_yaml(const std::string& text) {
  std::istringstream lines(text);
  std::string plain, line;
  while (std::getline(lines, line)) {
    if (line.starts_with("%YAML:")) line.clear();
    if (const std::size_t tag = line.find("!!opencv-matrix"); tag != std::string::npos)
      line.erase(tag, std::string_view("!!opencv-matrix").size());
    plain += line + "\n";
  }
  return plain;
}

std::vector<double> read_matrix(Node& root, const std::string& key, std::size_t least, std::size_t most) {
  Node matrix = root.child(key, "", true);
  matrix.ignore("rows");
  matrix.ignore("cols");
  matrix.ignore("dt");
  const std::vector<double> data = matrix.numbers("data", "", "");
  if (data.size() < least || data.size() > most)
    matrix.reject("data",
                  least == most ? fmt::format("must have {} numbers", least)
                                : fmt::format("must have {} to {} numbers", least, most),
                  fmt::format("{}", data.size()), "use a calibration of OpenCV's standard camera model");
  return data;
}

}  // namespace

void CameraCalibration::check_size(Node& node, const std::array<double, 2>& written) {
  if (image_size && *image_size != written)
    node.reject("image_size",
                fmt::format("must be the size of the calibration, {:g} × {:g}", (*image_size)[0], (*image_size)[1]),
                fmt::format("{:g} × {:g}", written[0], written[1]),
                "calibrate at the size of the recorded images, or scale the calibration with it");
  image_size = written;
}

CameraCalibration read_camera_calibration(const std::string& file) {
  Reading reading(parse_yaml(plain_yaml(datasets::read_text_file(file, "calibration")), file),
                  std::filesystem::path(file).parent_path());
  Node root = reading.root();
  CameraCalibration found;
  const std::vector<double> K = read_matrix(root, "camera_matrix", 9, 9);
  if (!(K[0] > 0 && K[4] > 0) || K[1] != 0 || K[3] != 0)
    root.reject("camera_matrix", "must be [f_x, 0, c_x, 0, f_y, c_y, 0, 0, 1] with focal lengths > 0",
                fmt::format("[{:g}]", fmt::join(K, ", ")), "use a calibration without skew");
  found.focal_length = K[0];
  found.aspect = K[4] / K[0];
  found.principal_point = {K[2], K[5]};
  const std::string distortion = root.is_written("dist_coeffs") ? "dist_coeffs" : "distortion_coefficients";
  if (root.is_written(distortion)) {
    const std::vector<double> k = read_matrix(root, distortion, 4, 14);
    found.distortion = {k[0], k[1], k[2], k[3], k.size() > 4 ? k[4] : 0};
    for (std::size_t j = 5; j < k.size(); ++j)
      if (k[j] != 0)
        root.reject(distortion, "must have 0 beyond k1, k2, p1, p2, k3", fmt::format("{:g}", k[j]),
                    "calibrate without the rational, thin-prism and tilted models");
  }
  if (root.is_written("image_width") || root.is_written("image_height"))
    found.image_size = {static_cast<double>(root.integer("image_width", "", {}, 1)),
                        static_cast<double>(root.integer("image_height", "", {}, 1))};
  return found;
}

}  // namespace pithball::app
