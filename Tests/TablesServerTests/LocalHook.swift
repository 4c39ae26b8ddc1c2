import HTTPServer
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import OAuth
import ServiceLifecycle
import Synchronization

/// A hook on a real socket: it keeps what it was asked, and answers what it is told to.
final class LocalHook: Sendable {
    /// What it answers.
    enum Behaviour: Sendable {
        /// This status and these bytes.
        case answering(Int, String)
        /// Nothing, ever.
        case silent
    }

    private struct State {
        var behaviour: Behaviour
        var questions: [JSONValue] = []
        var underWay = 0
        var most = 0
    }

    private let state: Mutex<State>

    init(_ behaviour: Behaviour) {
        state = Mutex(State(behaviour: behaviour))
    }

    /// What it lets pass everything with.
    static let `continue` = Behaviour.answering(200, #"{"version":"1.0.0","action":"Continue"}"#)

    var questions: [JSONValue] { state.withLock { $0.questions } }

    /// Most questions that were under way at once.
    var most: Int { state.withLock { $0.most } }

    func behave(_ behaviour: Behaviour) { state.withLock { $0.behaviour = behaviour } }

    /// Serves on `address` while `body` runs.
    func serve(on address: ListenAddress, while body: (ListenAddress) async throws -> Void) async throws {
        let logger = Logger(label: "hook") { _ in SwiftLogNoOpLogHandler() }
        let sockets = try ListeningSocket.open([address])
        let router = Router(context: HTTPContext.self)
        router.post("**") { request, _ in try await self.answer(request) }
        let service = HTTPService(
            sockets: sockets,
            pipeline: HTTPPipeline(router: router, hosts: .any, errors: .oauth, logger: logger),
            group: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
        let group = ServiceGroup(services: [service], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            do {
                try await body(sockets[0].address)
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
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
        case .answering(let status, let text):
            return Response(
                status: .init(code: status),
                headers: [.contentType: "application/json", .location: "http://127.0.0.1:1/"],
                body: .init(byteBuffer: ByteBuffer(string: text))
            )
        }
    }
}
