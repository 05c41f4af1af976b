// Checkpoints of keys that become one key, or fall apart into several: the words of one from those of others.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "checkpoint.h"
#include "prepared.h"

namespace holdsfor {

// The checkpoint of keys that are evaluated as one, from those of each of them at the same time. What has the key of
// one of them is not in the others.
Checkpoint join_checkpoints(const Prepared& prepared, Index stage, std::span<const Checkpoint* const> parts);

// The opposite: `part_of(key)` says which of `count` parts has what a key of one column has.
std::vector<Checkpoint> split_checkpoint(const Prepared& prepared, Index stage, const Checkpoint& whole,
                                         std::size_t count, const std::function<std::size_t(Value)>& part_of);

// Calls `visit` with the key of everything in a checkpoint; keys have one column.
void for_keys_in(const Prepared& prepared, Index stage, const Checkpoint& checkpoint,
                 const std::function<void(Value)>& visit);

}  // namespace holdsfor
