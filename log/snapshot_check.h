// Whether a checkpoint file is whole: every batch intact and of the snapshot's epoch, offsets from 0, header
// first, footer last.
// Owner: log. Start-up.
#pragma once

#include <cstdint>
#include <string>

#include "engine/host/ring/ring.h"
#include "log/error.h"
#include "log/task.h"
#include "schemas/runtime/ids.h"

namespace hayward::log {

// The header's last-contained-log timestamp in ms; `whole`: the rest is read too, not only the header.
Step<Result<std::int64_t>> check_snapshot(ring::Port& port, std::string path, std::int64_t size, Epoch epoch, bool whole);

}  // namespace hayward::log
