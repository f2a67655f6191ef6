#include "datasets/film/picture_filter.hpp"

#include <cmath>

#include "sim/core/error.hpp"

#ifdef PITHBALL_HAS_OPENCV
#include <opencv2/imgproc.hpp>
#endif

namespace pithball::datasets {
namespace {

/// Number of samples on each side of a Gaussian's center: three standard deviations, beyond which it is below 1.2 % of
/// its peak.
int kernel_reach(double sigma) { return static_cast<int>(std::ceil(3 * sigma)); }

}  // namespace

std::vector<double> blur_kernel(double sigma) {
  const int r = kernel_reach(sigma);
  std::vector<double> kernel(2 * r + 1);
  double sum = 0;
  for (int k = -r; k <= r; ++k) sum += kernel[k + r] = std::exp(-0.5 * k * k / (sigma * sigma));
  for (double& sample : kernel) sample /= sum;
  return kernel;
}

#ifdef PITHBALL_HAS_OPENCV

bool has_picture_filter() { return true; }

void require_picture_filter(const std::string&) {}

namespace {

/// The picture as OpenCV's type, without a copy. (OpenCV has no arrays of constants.)
cv::Mat mat(const Picture& picture) {
  return {static_cast<int>(picture.rows()), static_cast<int>(picture.cols()), CV_32F,
          const_cast<float*>(picture.data())};
}

/// One thread: frames follow one another, and their decoder has the other processors.
void use_one_thread() {
  static const bool done = [] {
    cv::setNumThreads(1);
    return true;
  }();
  (void)done;
}

}  // namespace

void blur(const Picture& picture, double sigma, Picture& blurred) {
  use_one_thread();
  blurred.resize(picture.rows(), picture.cols());
  cv::Mat target = mat(blurred);
  const std::vector<double> samples = blur_kernel(sigma);
  const cv::Mat kernel(static_cast<int>(samples.size()), 1, CV_64F, const_cast<double*>(samples.data()));
  cv::Mat single;
  kernel.convertTo(single, CV_32F);
  cv::sepFilter2D(mat(picture), target, CV_32F, single, single, {-1, -1}, 0, cv::BORDER_REFLECT_101);
}

void halve(const Picture& picture, Picture& half) {
  use_one_thread();
  half.resize((picture.rows() + 1) / 2, (picture.cols() + 1) / 2);
  cv::Mat target = mat(half);
  cv::pyrDown(mat(picture), target, target.size(), cv::BORDER_REFLECT_101);
}

#else

bool has_picture_filter() { return false; }

void require_picture_filter(const std::string& what) {
  throw InvalidArgument({what, "", "needs a program that was built with OpenCV", "one that was not",
                         "install OpenCV's modules core and imgproc (Debian: apt install libopencv-core-dev "
                         "libopencv-imgproc-dev) and build Pithball again"});
}

void blur(const Picture&, double, Picture&) { require_picture_filter("film"); }

void halve(const Picture&, Picture&) { require_picture_filter("film"); }

#endif

}  // namespace pithball::datasets
