/// Waits for as long as nobody cancels the task.
///
/// - Throws: `CancellationError`, and nothing else ends it.
public func untilCancelled() async throws {
    let (never, _) = AsyncStream<Never>.makeStream()
    for await _ in never {}
    throw CancellationError()
}
