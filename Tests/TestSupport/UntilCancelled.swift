/// Waits until the task is cancelled.
///
/// - Throws: `CancellationError`, always.
public func untilCancelled() async throws {
    let (never, _) = AsyncStream<Never>.makeStream()
    for await _ in never {}
    throw CancellationError()
}
