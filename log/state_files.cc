#include "log/state_files.h"

#include "log/epoch_checkpoint.h"
#include "log/files.h"
#include "log/quorum_state.h"

namespace hayward::log {

void StateFiles::persist_quorum_state(const core::QuorumState& state, std::uint64_t token) {
  if (context_.failed()) return;
  states_.emplace_back(state, token);
  if (!writing_states_) write_quorum_states();
}

Task StateFiles::write_quorum_states() {
  writing_states_ = true;
  while (!states_.empty() && !context_.failed()) {
    const auto [state, token] = std::move(states_.front());
    states_.pop_front();
    const auto replaced = co_await replace_file(context_.port, context_.directory, std::string(quorum_state_name),
                                                to_buffer(render_quorum_state(state)));
    if (!replaced) {
      context_.fail(replaced.error());
      break;
    }
    if (context_.events.quorum_state_persisted) context_.events.quorum_state_persisted(token);
  }
  writing_states_ = false;
}

void StateFiles::note_epoch(Epoch epoch, Offset start) {
  if (!epochs_.empty() && epochs_.back().epoch >= epoch) return;
  epochs_.push_back({epoch, start});
  epochs_dirty_ = true;
  if (!writing_epochs_) write_epochs();
}

void StateFiles::truncate_epochs(Offset end) {
  bool changed = false;
  while (!epochs_.empty() && epochs_.back().start >= end) {
    epochs_.pop_back();
    changed = true;
  }
  if (!changed) return;
  epochs_dirty_ = true;
  if (!writing_epochs_) write_epochs();
}

void StateFiles::advance_epochs(Offset start) {
  if (!log::advance_epochs(epochs_, start)) return;
  epochs_dirty_ = true;
  if (!writing_epochs_) write_epochs();
}

Task StateFiles::write_epochs() {
  writing_epochs_ = true;
  while (epochs_dirty_ && !context_.failed()) {
    epochs_dirty_ = false;
    const auto replaced = co_await replace_file(context_.port, context_.directory, std::string(epoch_checkpoint_name),
                                                to_buffer(render_epoch_checkpoint(epochs_)));
    if (!replaced) context_.fail(replaced.error());
  }
  writing_epochs_ = false;
}

bool advance_epochs(std::vector<core::EpochStart>& epochs, Offset start) {
  bool changed = false;
  while (epochs.size() > 1 && epochs[1].start <= start) {
    epochs.erase(epochs.begin());
    changed = true;
  }
  if (!epochs.empty() && epochs.front().start < start) {
    epochs.front().start = start;
    changed = true;
  }
  return changed;
}

}  // namespace hayward::log
