public import FlowModel
public import Storage

/// Converts a store's errors to the refusals that callers get.
public struct StoreRefusals: Sendable {
    private let name: Text
    private let absent: Refusal
    private let crowded: Refusal

    /// Creates a converter with the store's name and the refusals for a missing row and for a limit that was reached.
    public init(of name: Text, absent: Refusal, crowded: Refusal) {
        self.name = name
        self.absent = absent
        self.crowded = crowded
    }

    /// Runs `body`, and converts store errors to refusals.
    public func storing<T>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as StoreError {
            try Task.checkCancellation()
            throw refusal(error)
        }
    }

    /// Converts a store error to a refusal.
    public func refusal(_ error: StoreError) -> Refusal {
        let refusal: Refusal =
            switch error.code {
            case .notFound: absent
            case .limitExceeded: error.retryAfterMs.map { crowded.retrying(afterMs: $0) } ?? crowded
            case .consumed: Refusal(.interactionRequired, Text("refusal.signInUsed"))
            case .expired: Refusal(.interactionRequired, Text("refusal.signInEnded"))
            case .signedOut: Refusal(.interactionRequired, Text("refusal.accountSignedOut"))
            case .disabled: Refusal(.interactionRequired, Text("refusal.accountDisabled"))
            // The token cache is the only store that can be locked.
            case .locked: Refusal(.locked, Text("refusal.cacheLocked"))
            case .busy:
                Refusal(.limitExceeded, Text("refusal.storeBusy", ["store": name])).retrying(afterMs: 1_000)
            case .full: Refusal(.storageFailed, Text("refusal.diskFull"))
            case .readOnly: Refusal(.storageFailed, Text("refusal.storeReadOnly", ["store": name]))
            case .wrongKey, .missingKey, .olderSchema, .newerSchema, .inUse, .unreadable, .permissions, .corrupt,
                .damagedLog, .conflict, .nameTaken, .stale, .answerUsed, .failed:
                Refusal(.storageFailed, Text("refusal.storeFailed", ["store": name]))
            }
        return refusal.because(error.message)
    }
}
