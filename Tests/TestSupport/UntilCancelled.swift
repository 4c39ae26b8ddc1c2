/// Waits until the task is cancelled.
///
/// - Throws: `CancellationError` when the task is cancelled.
public func untilCancelled() async throws {
    let (never, _) = AsyncStream<Never>.makeStream()
    for await _ in never {}
    throw CancellationError()
}
