#pragma once
#include <string>
#include <vector>

#include "datasets/film/picture.hpp"

namespace pithball::datasets {

/// Whether this program was built with the library that filters pictures (OpenCV's imgproc).
bool has_picture_filter();

/// Throws InvalidArgument, which says what to install, if it was not. `what`: the work that needs it.
void require_picture_filter(const std::string& what);

/// Convolves a picture with a Gaussian of standard deviation `sigma` [px]; beyond the edges it is mirrored. `blurred`
/// gets the size of the picture. Throws as `require_picture_filter`.
void blur(const Picture& picture, double sigma, Picture& blurred);

/// The samples of that Gaussian, whose sum is 1: entry k is at k − (size − 1)/2.
std::vector<double> blur_kernel(double sigma);

/// Makes a picture of half the width and height: pixel (x, y) is pixel (2x, 2y) of `picture` after a convolution with
/// `half_kernel` in both directions (Burt and Adelson, IEEE Trans. Commun. 31, 532, 1983). Throws likewise.
void halve(const Picture& picture, Picture& half);

/// The kernel of `halve`: binomial, of five samples.
inline constexpr double half_kernel[] = {1.0 / 16, 4.0 / 16, 6.0 / 16, 4.0 / 16, 1.0 / 16};

}  // namespace pithball::datasets
