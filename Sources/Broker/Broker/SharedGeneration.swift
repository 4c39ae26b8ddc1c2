import Synchronization

/// A counter of changes that affect answers to every uid: of the configuration, and the authority's clients, keys,
/// users.
final class SharedGeneration: Sendable {
    private struct State {
        var value: Int64 = 0
        var epoch: Int64?
    }

    private let state = Mutex(State())

    /// The number of changes so far.
    var value: Int64 { state.withLock(\.value) }

    /// Counts a change.
    func raise() {
        state.withLock { $0.value += 1 }
    }

    /// Counts a change if the authority's epoch differs from the last one.
    func sawEpoch(_ epoch: Int64) {
        state.withLock { state in
            if let before = state.epoch, before != epoch { state.value += 1 }
            state.epoch = epoch
        }
    }
}
