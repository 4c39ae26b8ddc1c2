/// The client that a read is for, which may go before a long one ends.
public struct ReadClient: Sendable {
    /// The name under which its long reads are counted.
    let share: @Sendable () -> String
    /// Returns once the client has gone, or the task is cancelled.
    let untilGone: @Sendable () async -> Void
    /// Reserves memory for an answer that has grown to so many bytes; false if there is none.
    let fits: @Sendable (Int) -> Bool

    /// A client.
    ///
    /// - Parameters:
    ///   - share: Names those whose long reads are counted together; called for long reads only.
    ///   - untilGone: Returns once the client has gone, or the task is cancelled.
    ///   - fits: Reserves memory for an answer that has grown to so many bytes; false if there is none. Called where rows are
    ///     read, so it may not wait.
    public init(
        share: @escaping @Sendable () -> String,
        untilGone: @escaping @Sendable () async -> Void,
        fits: @escaping @Sendable (Int) -> Bool = { _ in true }
    ) {
        self.share = share
        self.untilGone = untilGone
        self.fits = fits
    }

    /// Runs `body` in a task that is cancelled when the client goes.
    ///
    /// - Throws: ``TablesStoreError`` `abandoned` if the client went first, and as `body` does.
    func whileThere<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { tasks in
            defer { tasks.cancelAll() }
            tasks.addTask { try await body() }
            tasks.addTask {
                await untilGone()
                throw TablesStoreError(.abandoned)
            }
            guard let value = try await tasks.next() else { throw TablesStoreError(.abandoned) }
            return value
        }
    }
}
