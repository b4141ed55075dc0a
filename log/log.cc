#include "log/log.h"

#include <utility>

#include "log/appender.h"
#include "log/context.h"
#include "log/log_reader.h"
#include "log/marker.h"
#include "log/recovery.h"
#include "log/replay.h"
#include "log/snapshot_load.h"
#include "log/snapshots.h"
#include "log/state_files.h"

namespace hayward::log {

struct Log::Parts {
  explicit Parts(std::unique_ptr<Context> the_context, Recovered&& found)
      : context(std::move(the_context)),
        lock_file(std::move(found.lock_file)),
        segments(std::move(found.segments)),
        cache(context->options.cache_bytes),
        marker(*context, segments, std::move(found.mark_file), found.mark),
        state_files(*context, std::move(found.epochs)),
        trash(*context),
        appender(*context, segments, cache, marker, state_files, trash),
        reader(*context, segments, cache, appender),
        snapshots(*context, segments, state_files, trash, std::move(found.snapshots)),
        snapshot_load(*context, segments, appender, marker, state_files, trash, snapshots) {}
  ~Parts() { context->abandon(); }

  TaskScope& tasks() { return context->tasks(); }
  Task finish(std::function<void()> done);

  std::unique_ptr<Context> context;
  OpenFilePtr lock_file;         // the directory is ours while it is open
  Segments segments;
  TailCache cache;
  Marker marker;
  StateFiles state_files;
  Trash trash;
  Appender appender;
  LogReader reader;
  Snapshots snapshots;
  SnapshotLoad snapshot_load;
};

Step<Result<std::unique_ptr<Log>>> Log::recover(ring::Port& port, LogOptions options) {
  auto context = std::make_unique<Context>(port, std::move(options));
  Recovery recovery(*context);
  auto found = co_await recovery.run();
  if (!found) {
    // The lock's descriptor is closed by a task: let it end before the context goes.
    recovery.release();
    Gate idle;
    idle.shut();
    context->tasks().when_idle([&idle] { idle.release(); });
    co_await idle.opened();
    co_return std::unexpected(std::move(found.error()));
  }
  core::LogState state;
  state.start = found->segments.log_start;
  state.end = found->segments.flushed_end();
  state.epochs = found->epochs;
  for (const Snapshot& snapshot : found->snapshots) state.snapshots.push_back({snapshot.id, snapshot.size});
  state.quorum_state = found->quorum_state;
  state.refetch_to = found->refetch_to;
  auto notes = std::move(found->notes);
  std::unique_ptr<Log> log(new Log(std::make_unique<Parts>(std::move(context), std::move(*found))));
  log->state_ = std::move(state);
  log->notes_ = std::move(notes);
  co_return std::move(log);
}

Result<std::unique_ptr<Log>> Log::open(ring::Port& port, LogOptions options) {
  return wait(port, recover(port, std::move(options)));
}

Log::Log(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Log::~Log() = default;

Step<std::expected<void, std::string>> Log::replay(Load snapshot, Load log) {
  return log::replay(*parts_->context, parts_->segments, state_, std::move(snapshot), std::move(log));
}

std::expected<void, std::string> Log::replay_now(Load snapshot, Load log) {
  return wait(parts_->context->port, replay(std::move(snapshot), std::move(log)));
}

void Log::start(driver::LogEvents events) {
  parts_->context->events = std::move(events);
  parts_->snapshots.start_cleaning();
}

void Log::append(BatchPtr batch) { parts_->appender.append(std::move(batch)); }

void Log::persist_quorum_state(const core::QuorumState& state, std::uint64_t token) {
  parts_->state_files.persist_quorum_state(state, token);
}

void Log::truncate(Offset end) { parts_->appender.truncate(end); }

void Log::write_snapshot(core::WriteSnapshot&& snapshot) { parts_->snapshots.write(std::move(snapshot)); }

void Log::write_snapshot_part(core::WriteSnapshotPart&& part) { parts_->snapshot_load.write(std::move(part)); }

void Log::read(Offset from, Offset to, std::int32_t max_bytes, ReadDone done) {
  parts_->reader.read(from, to, max_bytes, std::move(done));
}

void Log::read_snapshot(core::SnapshotId id, std::int64_t position, std::int32_t length, ReadDone done) {
  parts_->snapshots.read(id, position, length, std::move(done));
}

void Log::close(std::function<void()> done) { parts_->finish(std::move(done)); }

Task Log::Parts::finish(std::function<void()> done) {
  context->begin_close();
  co_await appender.idle().opened();
  co_await marker.close();
  snapshots.close();
  Segment& active = segments.active();
  active.file.reset();
  active.index_file.reset();
  active.time_index_file.reset();
  lock_file.reset();
  // This task is one of those that are waited for: `done` comes when it and all others have ended.
  context->tasks().when_idle(std::move(done));
}

}  // namespace hayward::log
