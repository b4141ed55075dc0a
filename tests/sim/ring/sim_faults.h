// What can go wrong on a simulated port, how often, and how often it did. All zero: a machine that only
// has latency. Rates are in parts per million of the operations concerned. The ids are those of the fault
// model (docs, fault kinds D: disk, G: ring, N: network).
// Owner: whoever makes the port; may be changed while it runs.
#pragma once

#include <cstdint>

namespace hayward::sim {

struct SimFaults {
  unsigned read_error_ppm = 0;         // D1: EIO
  unsigned read_flip_ppm = 0;          // D2: one bit of what is read is wrong, the disk is not
  unsigned write_error_ppm = 0;        // D3: EIO; nothing, or any part, is in the cache
  unsigned no_space_ppm = 0;           // D4: ENOSPC though there is space
  unsigned misdirected_write_ppm = 0;  // D7: written whole, 512 bytes to 64 KiB too far or too near
  unsigned sync_error_ppm = 0;         // D8: EIO, pages dropped, the next sync says OK (durable writes too)
  unsigned sync_stall_ppm = 0;         // D9
  unsigned metadata_error_ppm = 0;     // EIO from open, rename, unlink, mkdir, truncate, fallocate
  unsigned short_write_ppm = 0;        // G1
  unsigned short_read_ppm = 0;         // G2
  unsigned partial_send_ppm = 0;       // G3
  unsigned small_receive_ppm = 0;      // N11: a byte or a few at a time
  unsigned no_buffers_ppm = 0;         // G8: -ENOBUFS though there are buffers
  unsigned multishot_end_ppm = 0;      // G9: more == false on a good completion
  unsigned accept_error_ppm = 0;       // G12: -EMFILE
  unsigned late_cancel_ppm = 0;        // G7: the target is past stopping (-EALREADY)
  unsigned batch_limit = 0;            // G6: at most 1..this many completions a round; 0: all

  std::int64_t min_latency_ns = 20'000;  // of every operation
  std::int64_t max_latency_ns = 200'000;
  std::int64_t sync_latency_ns = 1'000'000;  // up to this much more for a sync or a durable write
  std::int64_t stall_ns = 3'000'000'000;
};

struct FaultCounts {
  std::uint64_t read_errors = 0, read_flips = 0, write_errors = 0, no_space = 0, misdirected_writes = 0;
  std::uint64_t sync_errors = 0, sync_stalls = 0, metadata_errors = 0;
  std::uint64_t short_writes = 0, short_reads = 0, partial_sends = 0, small_receives = 0;
  std::uint64_t no_buffers = 0, multishot_ends = 0, accept_errors = 0;
  std::uint64_t cancelled = 0, cancelled_first = 0, late_cancels = 0;  // how cancels ended
  std::uint64_t reordered = 0;      // completions that overtook an operation submitted earlier
  std::uint64_t done_by_crash = 0;  // operations that took effect though the crash ate their completion
  std::uint64_t undone_by_crash = 0;
};

}  // namespace hayward::sim
