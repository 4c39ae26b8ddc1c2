import AuthorityFixture
import Broker
import BrokerAPI
import FlowModel
import Moments
import NIOPosix
import OAuth
import Synchronization
import Systemd
import TestSupport

@testable import BrokerClient
@testable import BrokerRPC

/// Serves methods over a real socket, with results that a test defines, and records the calls.
final class ScriptedBroker: Sendable {
    /// A closure that returns the result of a method.
    typealias Script = @Sendable (_ params: [String: JSONValue]) async throws -> JSONValue

    /// A received call.
    struct Received: Sendable {
        let method: String
        let params: [String: JSONValue]
    }

    private let fixture: AuthorityFixture
    private let broker: Broker
    private let log = Mutex<[Received]>([])
    private let introductions = Mutex<[[String: JSONValue]]>([])

    var path: String { fixture.place.folder.path("s") }
    /// The received calls, except the calls to `broker.hello`.
    var received: [Received] { log.withLock { $0 } }
    /// The parameters of the `broker.hello` calls.
    var hellos: [[String: JSONValue]] { introductions.withLock { $0 } }

    init() throws {
        fixture = try AuthorityFixture()
        broker = fixture.broker(try fixture.cache())
    }

    /// Returns the number of calls to a method.
    func calls(_ method: String) -> Int { received.count { $0.method == method } }

    /// Creates a client of this broker.
    func client(
        handlers: ChallengeHandlers = ChallengeHandlers(),
        correlationID: CorrelationID? = nil,
        browsing: BrokerClient.Browsing? = nil
    ) -> BrokerClient {
        BrokerClient(
            SocketLocation(paths: [path]),
            clientID: "app",
            correlationID: correlationID,
            handlers: handlers,
            browsing: browsing
        )
    }

    /// Serves the methods in `scripts` while `body` runs.
    func serve(_ scripts: [String: Script], _ body: () async throws -> Void) async throws {
        let socket = try await BrokerSocket.open(
            [.path(path, mode: 0o600)],
            broker: broker,
            administration: fixture.administration(),
            methods: methods(scripts),
            limits: SocketLimits(),
            clock: .system,
            logger: AuthorityFixture.silent,
            group: MultiThreadedEventLoopGroup.singleton,
            peer: { $0 }
        )
        try await serving([socket]) { _ in try await body() }
    }

    private func methods(_ scripts: [String: Script]) -> [Method] {
        let methods = scripts.map { name, script in
            Method(
                description: MethodDescription(name, "Made by a test.", changesState: name != "flow.wait"),
                permission: .anyone
            ) { params in
                Method.Prepared(deadline: CallDeadline(duration: .seconds(20), survivesCaller: true)) { _ in
                    self.log.withLock { $0.append(Received(method: name, params: params)) }
                    return MethodResult(result: try await script(params))
                }
            }
        }
        let hello = Method(description: BrokerHello.description, permission: .anyone) { params in
            Method.Prepared(deadline: CallDeadline(duration: .seconds(20), survivesCaller: true)) { _ in
                self.introductions.withLock { $0.append(params) }
                return MethodResult(result: .object([:]))
            }
        }
        return methods + [hello]
    }
}

/// Returns the JSON of a flow.
///
/// In the state `challenge`, the flow has a step with one node named `answer`.
func flowJSON(
    _ state: String = "challenge",
    rev: Int64 = 1,
    step: String = "st_1",
    type: String = "password",
    check: String = "UserLogin",
    reason: String? = nil
) -> JSONValue {
    var flow: [String: JSONValue] = [
        "id": "fl_1", "rev": .int(rev), "policy": "b2c_1_sign_in", "state": .string(state), "expiresAt": 1,
        "want": ["scopes": []],
    ]
    if let reason { flow["reason"] = .string(reason) }
    if state == "challenge" {
        flow["step"] = [
            "id": .string(step), "type": .string(type), "check": .string(check), "title": "Sign in",
            "nodes": [["name": "answer", "kind": "text", "label": "Answer", "required": true]],
        ]
    }
    return .object(flow)
}

let tokenJSON: JSONValue = [
    "accessToken": "t", "tokenType": "Bearer", "expiresAt": 1, "scopes": ["tasks.read"], "account": "a",
    "username": "u", "policy": "p",
]
