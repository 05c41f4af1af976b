// Joins the checkpoints of keys that become one group, and splits the checkpoint of a group.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "checkpoint.h"
#include "prepared.h"

namespace holdsfor {

// The checkpoint of keys that are evaluated as one group, from their checkpoints at the same time. The parts are
// disjoint: content with the key of one part is in that part alone.
Checkpoint join_checkpoints(const Prepared& prepared, Index stage, std::span<const Checkpoint* const> parts);

// The inverse: `part_of(key)` gives the part, of `count` parts, for the content of a key. Keys have one column.
std::vector<Checkpoint> split_checkpoint(const Prepared& prepared, Index stage, const Checkpoint& whole,
                                         std::size_t count, const std::function<std::size_t(Value)>& part_of);

// Calls `visit` with the key of every entry in a checkpoint. Keys have one column.
void for_keys_in(const Prepared& prepared, Index stage, const Checkpoint& checkpoint,
                 const std::function<void(Value)>& visit);

}  // namespace holdsfor
