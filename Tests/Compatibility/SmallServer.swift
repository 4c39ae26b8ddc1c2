import HTTPServer
import Hummingbird
import Logging
import NIOPosix
import ServiceLifecycle

/// Servers that the tests' own programs and pages need.
enum SmallServer {
    /// Serves each router at its address while `body` runs.
    static func serve(
        _ routers: [(Router<HTTPContext>, ListenAddress)],
        while body: () async throws -> Void
    ) async throws {
        let logger = Logger(label: "small server") { _ in SwiftLogNoOpLogHandler() }
        let services = try routers.map { router, address in
            HTTPService(
                sockets: try ListeningSocket.open([address]),
                pipeline: HTTPPipeline(router: router, hosts: .any, errors: .oauth, logger: logger),
                group: MultiThreadedEventLoopGroup.singleton,
                logger: logger
            )
        }
        let group = ServiceGroup(services: services, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            do {
                try await body()
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
        }
    }
}
