import Logging
public import ServiceLifecycle

/// Runs servers while `body` runs, and then shuts them down gracefully, even if `body` fails.
///
/// Cancelling a server drops incoming connections, and NIO then ends the process.
///
/// - Parameters:
///   - services: The servers.
///   - body: The test. It may shut down the group itself.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`, or else of the servers.
public func serving<Result: Sendable>(
    _ services: [any Service],
    while body: (ServiceGroup) async throws -> Result
) async throws -> Result {
    let group = ServiceGroup(services: services, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    return try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await group.run() }
        do {
            let result = try await body(group)
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return result
        } catch {
            await group.triggerGracefulShutdown()
            try? await tasks.waitForAll()
            throw error
        }
    }
}
