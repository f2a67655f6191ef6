#pragma once
#include "app/yaml/tree.hpp"

namespace pithball::app {

/// An item of `fit.parameters` whose θ is the value itself, in SI units, whatever `transform` it names: a function of θ
/// at the start then has the values of the experiment to the last bit.
Tree with_plain_values(Tree item);

}  // namespace pithball::app
