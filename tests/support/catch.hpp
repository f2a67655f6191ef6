#pragma once
// Catch2 2.13 (Debian 12) and 3 (newer systems) behind one name.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>  // puts Approx into the global namespace by itself
#endif
