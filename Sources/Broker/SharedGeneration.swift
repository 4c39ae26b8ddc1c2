import Synchronization

/// What answers to every uid depend on: the configuration, and the authority's clients, keys and users.
final class SharedGeneration: Sendable {
    private struct State {
        var value: Int64 = 0
        var epoch: Int64?
    }

    private let state = Mutex(State())

    /// Rises with every change.
    var value: Int64 { state.withLock(\.value) }

    /// Something changed.
    func raise() {
        state.withLock { $0.value += 1 }
    }

    /// The authority's epoch is this; another one than before is a change.
    func sawEpoch(_ epoch: Int64) {
        state.withLock { state in
            if let before = state.epoch, before != epoch { state.value += 1 }
            state.epoch = epoch
        }
    }
}
