import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import OAuth
import ServiceLifecycle
import Synchronization
import TablesClient
import Testing

@testable import HTTPServer

/// A request that the server received.
struct Arrived: Sendable {
    let method: String
    let host: String
    let target: String
    let headers: HTTPFields
    let body: String

    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
}

/// A server on a loopback port that responds as its test specifies and records all requests.
final class LiveAPI: Sendable {
    /// A function that responds to a request.
    ///
    /// `count` is the number of requests so far, including this request.
    typealias Answer = @Sendable (_ request: Arrived, _ count: Int) async throws -> Response

    private let arrived = Mutex<[Arrived]>([])

    var requests: [Arrived] { arrived.withLock { $0 } }

    static func run(
        _ answer: @escaping Answer,
        test: @Sendable (LiveAPI, APIAddress) async throws -> Void
    ) async throws {
        let api = LiveAPI()
        let (listeners, listening) = AsyncStream.makeStream(of: (any Channel).self)
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let server = Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in
                let body = try await request.body.collect(upTo: 1 << 20)
                let arrived = Arrived(
                    method: request.method.rawValue,
                    host: request.head.authority ?? "",
                    target: request.uri.description,
                    headers: request.headers,
                    body: String(buffer: body)
                )
                let count = api.arrived.withLock {
                    $0.append(arrived)
                    return $0.count
                }
                return try await answer(arrived, count)
            },
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                listening.yield(channel)
                listening.finish()
            },
            logger: quiet
        )
        var service = ServiceGroupConfiguration(services: [.init(service: server)], logger: quiet)
        // Requests that are still running after this time are cancelled.
        service.maximumGracefulShutdownDuration = .seconds(3)
        let group = ServiceGroup(configuration: service)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await listener in listeners {
                let outcome: Result<Void, any Error>
                do {
                    let port = try #require(listener.localAddress?.port)
                    outcome = .success(try await test(api, APIAddress("http://127.0.0.1:\(port)")))
                } catch {
                    outcome = .failure(error)
                }
                try await letNobodyElseIn(listener)
                await group.triggerGracefulShutdown()
                try outcome.get()
            }
        }
    }

    /// Stops accepting connections, and waits until the server serves every accepted connection.
    ///
    /// If a listener closes while a connection is moving between event loops, the connection is lost.
    private static func letNobodyElseIn(_ listener: any Channel) async throws {
        try await listener.eventLoop.submit {
            let entrance = EntranceHandler()
            entrance.close()
            try listener.pipeline.syncOperations.addHandler(entrance, position: .first)
        }.get()
        try await listener.setOption(.autoRead, value: false).get()
        // A new connection moves several times between the listener's event loop and its own event loop, and then to
        // the task that accepts connections.
        for _ in 0..<32 {
            await MultiThreadedEventLoopGroup.singleton.haveTurned()
            await Task.yield()
        }
    }
}

extension Response {
    static func json(
        _ text: String,
        _ status: HTTPResponse.Status = .ok,
        _ headers: [String: String] = [:]
    ) -> Response {
        var fields: HTTPFields = [.contentType: "application/json; charset=utf-8"]
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return Response(status: status, headers: fields, body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}

extension Response {
    static func text(_ text: String) -> Response {
        let fields: HTTPFields = [.contentType: "text/plain; charset=utf-8"]
        return Response(status: .ok, headers: fields, body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}

/// A token source that returns the tokens `t1`, `t2`, …, and records its calls.
final class Tokens: Sendable {
    private let asked = Mutex<[Bool]>([])

    var refreshes: [Bool] { asked.withLock { $0 } }

    func next(_ forceRefresh: Bool) -> Secret {
        asked.withLock {
            $0.append(forceRefresh)
            return Secret("t\($0.count)")
        }
    }
}
