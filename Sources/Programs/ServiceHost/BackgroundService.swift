public import ServiceLifecycle

/// A service that runs a closure.
///
/// The closure can wait for objects that do not exist yet when the service starts.
public struct BackgroundService: Service, CustomStringConvertible {
    /// The name to log, instead of a dump of the whole value.
    public let description: String
    private let work: @Sendable () async throws -> Void

    /// Creates a service with a name for the log.
    public init(_ description: String, _ work: @escaping @Sendable () async throws -> Void) {
        self.description = description
        self.work = work
    }

    /// Runs the closure.
    public func run() async throws { try await work() }

    /// Runs `work` repeatedly until shutdown is requested.
    ///
    /// - Parameters:
    ///   - interval: The time between two runs.
    ///   - first: The time before the first run, or `nil` for `interval`.
    ///   - overlaps: Whether a run can start before the previous run has ended.
    ///   - work: The work to do in each run.
    public static func repeating(
        every interval: Duration,
        after first: Duration? = nil,
        overlaps: Bool = false,
        _ work: @escaping @Sendable () async -> Void
    ) async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { tasks in
                var pause = first ?? interval
                while !Task.isCancelled {
                    try? await Task.sleep(for: pause)
                    guard !Task.isCancelled else { return }
                    if overlaps { tasks.addTask { await work() } } else { await work() }
                    pause = interval
                }
            }
        }
    }
}
