import Logging
public import ServiceLifecycle

/// Serves while `body` runs, and then ends in good order, whatever came of `body`.
///
/// A server that is cancelled drops the connections that are on their way to it, for which NIO ends the process.
///
/// - Parameters:
///   - services: The servers.
///   - body: The test; it may end the group itself.
/// - Returns: The result of `body`.
/// - Throws: What `body` throws, else what the servers do.
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
