public import ServiceLifecycle

/// A service that is a piece of work; its parts may still be assembled when its group starts it.
public struct BackgroundService: Service, CustomStringConvertible {
    /// The name in the log; without one, the whole value is printed at every start.
    public let description: String
    private let work: @Sendable () async throws -> Void

    /// Work of this name.
    public init(_ description: String, _ work: @escaping @Sendable () async throws -> Void) {
        self.description = description
        self.work = work
    }

    /// Does the work.
    public func run() async throws { try await work() }

    /// Does `work` again and again until the end is asked for.
    ///
    /// - Parameters:
    ///   - interval: The time between two times.
    ///   - first: The time before the first one; `nil` for the interval.
    ///   - overlaps: Whether the work is begun anew though the last one has not ended.
    ///   - work: The work.
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
