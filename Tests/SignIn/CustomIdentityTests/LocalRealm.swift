import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import OAuth
import Policies
import ServiceLifecycle
import Synchronization
import TestSupport

/// A custom identity provider on a real socket that sends the response chosen by the test and records all requests.
final class LocalRealm: Sendable {
    /// A request that the provider has received.
    struct Asked: Sendable {
        let path: String
        let headers: HTTPFields
        let body: [UInt8]
    }

    /// A response that the provider sends.
    struct Answer: Sendable {
        var status = HTTPResponse.Status.ok
        var type = "application/json"
        var body: [UInt8]
    }

    /// The requests that the provider has received so far.
    var asked: [Asked] { state.withLock { $0.asked } }
    private let state = Mutex<(asked: [Asked], answer: Answer?)>(([], nil))

    /// Sets the response to all further requests.
    ///
    /// If the response is `nil`, further requests are left without a response.
    func answer(_ answer: Answer?) { state.withLock { $0.answer = answer } }

    /// Responds to all further requests with the status 200 and this JSON document.
    func answer(_ json: JSONValue) { answer(Answer(body: json.bytes)) }

    /// Runs the provider while `body` runs, and passes the provider's settings to `body`.
    func serve(_ body: (CustomRealm) async throws -> Void) async throws {
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let logger = Logger(label: "realm") { _ in SwiftLogNoOpLogHandler() }
        let router = Router(context: HTTPContext.self)
        router.post("**") { request, _ in
            let body = try await request.body.collect(upTo: 65_536)
            let answer = self.state.withLock { state in
                state.asked.append(
                    Asked(path: request.uri.path, headers: request.headers, body: Array(body.readableBytesView))
                )
                return state.answer
            }
            guard let answer else {
                try? await gracefulShutdown()
                return Response(status: .ok)
            }
            return Response(
                status: answer.status,
                headers: [.contentType: answer.type, .location: "/elsewhere"],
                body: .init(byteBuffer: ByteBuffer(bytes: answer.body))
            )
        }
        let pipeline = HTTPPipeline(router: router, hosts: .any, errors: .oauth, logger: logger)
        let service = HTTPService(
            sockets: [socket],
            pipeline: { pipeline },
            group: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
        try await serving([service]) { _ in
            try await body(CustomRealm(name: "corp", url: "http://\(socket.address)/base", tenant: "guid"))
        }
    }
}
