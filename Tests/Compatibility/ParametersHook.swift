import HTTPServer
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import OAuth
import ServiceLifecycle

/// A hook that does what the suite's script of `paramsTestTable` does, as far as a hook may: it writes the parameters of an
/// insert or update into the row.
enum ParametersHook {
    /// Serves at a socket while `body` runs.
    static func serve(at path: String, while body: () async throws -> Void) async throws {
        let logger = Logger(label: "hook") { _ in SwiftLogNoOpLogHandler() }
        let router = Router(context: HTTPContext.self)
        router.post("/") { request, _ in
            answer(try StrictJSON.parse(try await request.body.collect(upTo: 65_536).readableBytesView))
        }
        let service = HTTPService(
            sockets: try ListeningSocket.open([.unix(path: path, mode: 0o600)]),
            pipeline: HTTPPipeline(router: router, hosts: .any, errors: .oauth, logger: logger),
            group: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
        let group = ServiceGroup(services: [service], logger: logger)
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

    private static func answer(_ question: JSONValue) -> Response {
        let parameters = question["parameters"] ?? .object([:])
        if parameters["refuse"] != nil { return json(400, ["status": 400, "userMessage": "The hook says no."]) }
        var changes: [String: JSONValue] = ["version": "1.0.0", "action": "Continue"]
        let operation = question["operation"]?.string
        if operation == "insert" || operation == "update" { changes["parameters"] = .string(parameters.text) }
        return json(200, .object(changes))
    }

    private static func json(_ status: Int, _ value: JSONValue) -> Response {
        Response(
            status: .init(code: status),
            headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: value.bytes))
        )
    }
}
