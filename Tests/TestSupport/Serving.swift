import Logging
public import ServiceLifecycle

/// Runs servers while `body` runs, and then shuts them down gracefully, even if `body` fails.
///
/// The servers are not cancelled. A cancelled server drops incoming connections, which makes NIO end the process.
///
/// - Parameters:
///   - services: The servers.
///   - body: The test, which may shut down the group itself.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`, or else the error of a server.
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
