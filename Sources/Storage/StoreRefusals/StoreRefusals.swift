public import FlowModel
public import Storage

/// The refusals that callers of a part of the service get where its store could not do something.
public struct StoreRefusals: Sendable {
    private let name: String
    private let absent: Refusal
    private let crowded: Refusal

    /// The refusals of one store.
    ///
    /// - Parameters:
    ///   - name: The store's name in a sentence.
    ///   - absent: The refusal where there is no such row.
    ///   - crowded: The refusal where a bound of the store is reached.
    public init(of name: String, absent: Refusal, crowded: Refusal) {
        self.name = name
        self.absent = absent
        self.crowded = crowded
    }

    /// Runs `body`, and throws as a refusal what the store could not do.
    public func storing<T>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as StoreError {
            try Task.checkCancellation()
            throw refusal(error)
        }
    }

    /// The refusal for what the store could not do.
    public func refusal(_ error: StoreError) -> Refusal {
        let refusal: Refusal =
            switch error.code {
            case .notFound: absent
            case .limitExceeded: error.retryAfterMs.map { crowded.retrying(afterMs: $0) } ?? crowded
            case .consumed: Refusal(.interactionRequired, "this sign-in was used already; ask again")
            case .expired: Refusal(.interactionRequired, "this sign-in has ended; sign in again")
            case .signedOut: Refusal(.interactionRequired, "this account was signed out; sign in again")
            case .disabled: Refusal(.interactionRequired, "this account can no longer sign in")
            case .locked: Refusal(.locked, "\(name) is locked; unlock it by `tokenbroker unlock`")
            case .busy: Refusal(.limitExceeded, "\(name) is busy; try again").retrying(afterMs: 1_000)
            case .full: Refusal(.storageFailed, "the disk is full; nothing was changed")
            case .readOnly: Refusal(.storageFailed, "\(name) cannot be written; nothing was changed")
            case .wrongKey, .missingKey, .olderSchema, .newerSchema, .inUse, .unreadable, .permissions, .corrupt,
                .damagedLog, .conflict, .nameTaken, .stale, .failed:
                Refusal(.storageFailed, "\(name) failed; nothing was changed")
            }
        return refusal.because(error.message)
    }
}
