import HTTPServer
import Hummingbird
import Logging
import NIOPosix
import TestSupport

/// Serves the tests' hooks and web pages in this process.
enum SmallServer {
    /// Serves each router at its address while `body` runs.
    static func serve(
        _ routers: [(Router<HTTPContext>, ListenAddress)],
        while body: () async throws -> Void
    ) async throws {
        let logger = Logger(label: "small server") { _ in SwiftLogNoOpLogHandler() }
        let services = try routers.map { router, address in
            let pipeline = HTTPPipeline(router: router, hosts: .any, errors: .oauth, logger: logger)
            return HTTPService(
                sockets: try ListeningSocket.open([address]),
                pipeline: { pipeline },
                group: MultiThreadedEventLoopGroup.singleton,
                logger: logger
            )
        }
        try await serving(services) { _ in try await body() }
    }
}
