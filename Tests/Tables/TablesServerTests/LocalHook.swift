import HTTPServer
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import OAuth
import ServiceLifecycle
import Synchronization
import TestSupport

/// A hook that listens on a real socket.
///
/// The hook records its calls and responds as configured.
final class LocalHook: Sendable {
    /// The ways in which the hook responds.
    enum Behaviour: Sendable {
        /// A response with this status and this body.
        case answering(Int, String)
        /// A response with this status, this body, and this `Retry-After` field.
        case busy(Int, String, retryAfter: String)
        /// No response.
        case silent
        /// An incomplete response.
        case unfinished
        /// A response that lets every operation continue, sent only after ``LocalHook/release()``.
        case held
    }

    private struct State {
        var behaviour: Behaviour
        var questions: [JSONValue] = []
        var underWay = 0
        var held: [CheckedContinuation<Void, Never>] = []
        var most = 0
    }

    private let state: Mutex<State>

    init(_ behaviour: Behaviour) {
        state = Mutex(State(behaviour: behaviour))
    }

    /// A response that lets every operation continue.
    static let `continue` = Behaviour.answering(200, continued)

    private static let continued = #"{"version":"1.0.0","action":"Continue"}"#

    var questions: [JSONValue] { state.withLock { $0.questions } }

    /// The number of calls that wait for ``release()``.
    var heldNow: Int { state.withLock { $0.held.count } }

    /// The maximum number of concurrent calls so far.
    var most: Int { state.withLock { $0.most } }

    func behave(_ behaviour: Behaviour) { state.withLock { $0.behaviour = behaviour } }

    /// Responds to all waiting calls, and lets all further calls continue at once.
    func release() {
        let held = state.withLock { state in
            defer { state.held = [] }
            state.behaviour = Self.continue
            return state.held
        }
        for one in held { one.resume() }
    }

    /// Serves at `address` while `body` runs.
    func serve(
        on address: ListenAddress,
        tls: TLSFiles? = nil,
        while body: (ListenAddress) async throws -> Void
    ) async throws {
        let logger = Logger(label: "hook") { _ in SwiftLogNoOpLogHandler() }
        let sockets = try ListeningSocket.open([address])
        let router = Router(context: HTTPContext.self)
        for path: RouterPath in ["/", "**"] { router.post(path) { request, _ in try await self.answer(request) } }
        let pipeline = HTTPPipeline(router: router, hosts: .any, errors: .oauth, logger: logger)
        let service = HTTPService(
            sockets: sockets,
            pipeline: { pipeline },
            tls: tls,
            group: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
        try await serving([service]) { _ in try await body(sockets[0].address) }
    }

    private func answer(_ request: Request) async throws -> Response {
        let bytes = try await request.body.collect(upTo: 1 << 20)
        let question = try StrictJSON.parse(bytes.readableBytesView)
        let behaviour = state.withLock { state in
            state.questions.append(question)
            state.underWay += 1
            state.most = max(state.most, state.underWay)
            return state.behaviour
        }
        defer { state.withLock { $0.underWay -= 1 } }
        switch behaviour {
        case .silent:
            try? await gracefulShutdown()
            return Response(status: .serviceUnavailable)
        case .unfinished:
            return Response(
                status: .ok,
                body: .init { writer in
                    try await writer.write(ByteBuffer(string: #"{"version":"1.0.0","#))
                    try? await gracefulShutdown()
                    try await writer.finish(nil)
                }
            )
        case .held:
            await withCheckedContinuation { turn in
                let isReleased = state.withLock { state in
                    guard case .held = state.behaviour else { return true }
                    state.held.append(turn)
                    return false
                }
                if isReleased { turn.resume() }
            }
            return Self.response(200, Self.continued)
        case .answering(let status, let text):
            return Self.response(status, text)
        case .busy(let status, let text, let retryAfter):
            var response = Self.response(status, text)
            response.headers[.retryAfter] = retryAfter
            return response
        }
    }

    private static func response(_ status: Int, _ text: String) -> Response {
        Response(
            status: .init(code: status),
            headers: [.contentType: "application/json", .location: "http://127.0.0.1:1/"],
            body: .init(byteBuffer: ByteBuffer(string: text))
        )
    }
}
