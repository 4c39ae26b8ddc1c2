import Storage

/// Waiting for whoever else syncs over the same store.
public enum SyncWait {
    /// The longest time that a push, pull or purge waits for another one.
    public static let limit: Duration = .seconds(120)
    private static let pause: Duration = .milliseconds(20)

    /// Tries until `take` gives something.
    ///
    /// - Throws: `StoreError` `busy` after ``limit``, or `CancellationError`.
    static func until<Turn>(_ take: () throws -> Turn?) async throws -> Turn {
        let end = ContinuousClock.now + limit
        while true {
            if let turn = try take() { return turn }
            guard ContinuousClock.now < end else {
                throw StoreError(.busy, "another process syncs over this store for too long")
            }
            try await Task.sleep(for: pause)
        }
    }
}
