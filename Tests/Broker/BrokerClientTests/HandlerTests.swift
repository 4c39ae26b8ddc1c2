import BrokerAPI
import FlowModel
import OAuth
import Synchronization
import TestSupport
import Testing

@testable import BrokerClient

@Suite(.timeLimit(.minutes(1)))
struct HandlerTests {
    private final class Log: Sendable {
        private let words = Mutex<[String]>([])
        var all: [String] { words.withLock { $0 } }
        func add(_ word: String) { words.withLock { $0.append(word) } }
    }

    private static let begin: ScriptedBroker.Script = { _ in ["kind": "flow", "joined": false, "flow": flowJSON()] }
    private static let accept: ScriptedBroker.Script = { _ in
        ["verdict": "accepted", "flow": flowJSON("succeeded", rev: 2), "token": tokenJSON]
    }
    private static let cancel: ScriptedBroker.Script = { _ in ["flow": flowJSON("cancelled")] }

    @Test("the hook for success is awaited before the call returns") func success() async throws {
        let broker = try ScriptedBroker()
        let log = Log()
        try await broker.serve(["token.acquire": Self.begin, "flow.submit": Self.accept]) {
            let handler = ChallengeResponder(succeeded: { end in
                for _ in 0..<50 { await Task.yield() }
                log.add("hook \(end.account ?? "")")
            }) { _ in .texts([:]) }
            let token = try await broker.client(handlers: ChallengeHandlers(fallback: handler)).acquireToken(scopes: [])
            log.add("returned")
            #expect(log.all == ["hook \(token.account)", "returned"])
        }
    }

    @Test("a hook that never returns blocks no call: the call returns its token, or fails with the flow's own error")
    func endless() async throws {
        let broker = try ScriptedBroker()
        let log = Log()
        let (success, failure) = (CallOutcome<Void>(), CallOutcome<Void>())
        let handler: @Sendable (Answer) -> ChallengeResponder = { answer in
            ChallengeResponder(
                succeeded: { _ in
                    log.add("succeeded")
                    _ = try? await withCheckedThrowingContinuation { success.deliver(to: $0) }
                },
                failed: { _ in
                    log.add("failed")
                    _ = try? await withCheckedThrowingContinuation { failure.deliver(to: $0) }
                },
                { _ in answer }
            )
        }
        let client: @Sendable (Answer) -> BrokerClient = { answer in
            BrokerClient(
                SocketLocation(paths: [broker.path]),
                clientID: "app",
                correlationID: nil,
                handlers: ChallengeHandlers(fallback: handler(answer)),
                longestHook: .zero,
                trusts: { SocketLocation.trusts($0, at: $1) }
            )
        }
        try await broker.serve(["token.acquire": Self.begin, "flow.submit": Self.accept, "flow.cancel": Self.cancel]) {
            let token = try await client(.texts([:])).acquireToken(scopes: [])
            #expect(token.accessToken.reveal() == "t")
            let cancelling = client(.cancel())
            let error = await #expect(throws: ClientError.self) { try await cancelling.acquireToken(scopes: []) }
            #expect(error?.code == .flowEnded)
            try await waitUntil("both hooks were called") { log.all == ["succeeded", "failed"] }
        }
        success.finish(.success(()))
        failure.finish(.success(()))
        #expect(broker.client().longestHook == .seconds(60))
    }

    @Test("a handler that cancels ends the flow with its reason; the call fails, and the handler is notified once")
    func cancelled() async throws {
        let broker = try ScriptedBroker()
        let log = Log()
        try await broker.serve(["token.acquire": Self.begin, "flow.cancel": Self.cancel]) {
            let handler = ChallengeResponder(failed: { log.add($0.message) }) { _ in .cancel(reason: "not now") }
            let client = broker.client(handlers: ChallengeHandlers(fallback: handler))
            let error = await #expect(throws: ClientError.self) { try await client.acquireToken(scopes: []) }
            #expect(error?.code == .flowEnded && error?.flow?.state == .cancelled)
            #expect(broker.received.last?.params["reason"] == "not now")
            #expect(broker.calls("flow.cancel") == 1 && broker.calls("token.acquire") == 1)
            #expect(log.all == ["The flow was cancelled."])
        }
    }

    @Test("a handler that never answers is given up after the step expires, and so is the flow") func silent()
        async throws
    {
        let broker = try ScriptedBroker()
        let begin: ScriptedBroker.Script = { _ in
            var flow = flowJSON().object ?? [:]
            flow["stepExpiresAt"] = 1
            return ["kind": "flow", "joined": false, "flow": .object(flow)]
        }
        try await broker.serve(["token.acquire": begin, "flow.cancel": Self.cancel]) {
            let never = CallOutcome<Answer>()
            let handler = ChallengeResponder { _ in
                try await withCheckedThrowingContinuation { never.deliver(to: $0) }
            }
            let client = broker.client(handlers: ChallengeHandlers(fallback: handler))
            let error = await #expect(throws: ClientError.self) { try await client.acquireToken(scopes: []) }
            #expect(error?.code == .deadlinePassed)
            #expect(broker.calls("flow.cancel") == 1)
            never.finish(.success(.texts([:])))
        }
    }

    @Test("calls that need one flow prompt once, and all get a token") func shared() async throws {
        let broker = try ScriptedBroker()
        let acquire: ScriptedBroker.Script = { params in
            if params["prompt"] == "none" { return ["kind": "token", "token": tokenJSON] }
            return ["kind": "flow", "joined": true, "flow": flowJSON()]
        }
        try await broker.serve(["token.acquire": acquire, "flow.submit": Self.accept]) {
            let log = Log()
            let client = broker.client(
                handlers: ChallengeHandlers(
                    fallback: ChallengeResponder { _ in
                        log.add("asked")
                        // Keeps the prompt open until all four calls wait for the same flow.
                        try await waitUntil("every call waits") { broker.calls("token.acquire") == 4 }
                        return .texts([:])
                    }
                )
            )
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<4 { group.addTask { try await client.acquireToken(scopes: []).accessToken.reveal() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(tokens == ["t", "t", "t", "t"])
            #expect(log.all == ["asked"])
            #expect(broker.calls("flow.submit") == 1)
        }
    }

    @Test("calls that need one flow are all notified of its cancellation") func sharedEnd() async throws {
        let broker = try ScriptedBroker()
        try await broker.serve(["token.acquire": Self.begin, "flow.cancel": Self.cancel]) {
            let log = Log()
            let client = broker.client(
                handlers: ChallengeHandlers(
                    fallback: ChallengeResponder { _ in
                        log.add("asked")
                        try await waitUntil("every call waits") { broker.calls("token.acquire") == 3 }
                        return .cancel()
                    }
                )
            )
            let ends = await withTaskGroup(of: ClientError.Code?.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        do {
                            _ = try await client.acquireToken(scopes: [])
                            return nil
                        } catch { return (error as? ClientError)?.code }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(ends == [.flowEnded, .flowEnded, .flowEnded])
            #expect(log.all == ["asked"])
        }
    }

    @Test("another flow waits for its turn, and has no prompt if the broker can issue the token by then") func turns()
        async throws
    {
        let broker = try ScriptedBroker()
        let log = Log()
        let acquire: ScriptedBroker.Script = { params in
            if log.all.contains("answered") { return ["kind": "token", "token": tokenJSON] }
            var flow = flowJSON().object ?? [:]
            flow["id"] = .string("fl_\(params["scopes"]?.array?.first?.string ?? "")")
            return ["kind": "flow", "joined": false, "flow": .object(flow)]
        }
        let submit: ScriptedBroker.Script = { _ in
            log.add("answered")
            return ["verdict": "accepted", "flow": flowJSON("succeeded", rev: 2), "token": tokenJSON]
        }
        try await broker.serve(["token.acquire": acquire, "flow.submit": submit, "flow.cancel": Self.cancel]) {
            let client = broker.client(
                handlers: ChallengeHandlers(
                    fallback: ChallengeResponder { _ in
                        try await waitUntil("every call waits") { broker.calls("token.acquire") == 2 }
                        return .texts([:])
                    }
                )
            )
            async let first = client.acquireToken(scopes: ["a"])
            async let second = client.acquireToken(scopes: ["b"])
            _ = try await (first, second)
            #expect(broker.calls("flow.submit") == 1)
            #expect(broker.calls("flow.cancel") == 1, "the unused flow is cancelled")
        }
    }

    @Test("after a failed flow a call that waits for the same check fails with it, without another prompt")
    func refused() async throws {
        let broker = try ScriptedBroker()
        let log = Log()
        let acquire: ScriptedBroker.Script = { params in
            var flow = flowJSON(check: "PinCodeAttempts").object ?? [:]
            flow["id"] = .string("fl_\(params["scopes"]?.array?.first?.string ?? "")")
            return ["kind": "flow", "joined": false, "flow": .object(flow)]
        }
        let submit: ScriptedBroker.Script = { _ in
            ["verdict": "rejected", "flow": flowJSON("failed", rev: 2, reason: "blocked")]
        }
        try await broker.serve(["token.acquire": acquire, "flow.submit": submit, "flow.cancel": Self.cancel]) {
            let client = broker.client(
                handlers: ChallengeHandlers(
                    fallback: ChallengeResponder(failed: { log.add($0.message) }) { _ in
                        log.add("asked")
                        try await waitUntil("every call waits") { broker.calls("token.acquire") == 2 }
                        return .texts([:])
                    }
                )
            )
            let ends = await withTaskGroup(of: FlowState?.self) { group in
                for scope in ["a", "b"] {
                    group.addTask {
                        do {
                            _ = try await client.acquireToken(scopes: [scope])
                            return nil
                        } catch { return (error as? ClientError)?.flow?.state }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(ends == [.failed(.blocked), .failed(.blocked)])
            #expect(log.all.count == 2 && log.all.first == "asked", "\(log.all)")
            #expect(broker.calls("flow.submit") == 1)
            #expect(broker.calls("flow.cancel") == 1, "the unanswered flow is cancelled")
        }
    }

    /// Returns a flow that is parsed from JSON, as in a result from the broker.
    private static func flow(_ id: String, check: String = "UserLogin") throws -> Flow {
        var flow = flowJSON(check: check).object ?? [:]
        flow["id"] = .string(id)
        return try Flow(WireReader(.object(flow)))
    }

    @Test("a call that learns of its flow after it ended gets its outcome, without another prompt")
    func lateEnd() async throws {
        let (queue, flow) = (PromptQueue(), try Self.flow("fl_1"))
        let asked = await queue.ended
        let cancelled = ClientError(.flowEnded, .flow(.cancelled))
        await #expect(throws: cancelled) { _ = try await queue.turn(for: flow, since: asked) { throw cancelled } }
        await #expect(throws: cancelled) {
            _ = try await queue.turn(for: flow, since: asked) {
                Issue.record("there was another prompt")
                throw CancellationError()
            }
        }
    }

    @Test("a call that learns of its flow after another one was answered calls the broker once more") func lateTurn()
        async throws
    {
        let (queue, first, second) = (PromptQueue(), try Self.flow("fl_1"), try Self.flow("fl_2"))
        let end = FlowEnd(flow: first, token: nil, account: "a")
        let asked = await queue.ended
        _ = try await queue.turn(for: first, since: asked) { end }
        guard case .later = try await queue.turn(for: second, since: asked, { end }) else {
            Issue.record("the broker is not asked")
            return
        }
        let again = await queue.ended
        guard case .ended = try await queue.turn(for: second, since: again, { end }) else {
            Issue.record("there was no prompt, though the broker requires one")
            return
        }
    }

    @Test(
        "a second handler for the same steps replaces the first",
        arguments: [ChallengeHandlers.Subject.check("Pin"), .realm("corp"), .type("pin"), .any]
    )
    func replaced(_ subject: ChallengeHandlers.Subject) {
        let step = Step(
            id: "st_1",
            type: StepType(rawValue: "pin"),
            check: "Pin",
            title: "PIN",
            nodes: [],
            data: ["realm": "corp"]
        )
        let handlers = ChallengeHandlers()
            .adding(ChallengeResponder { _ in .texts(["by": "first"]) }, for: subject)
            .adding(SecondHandler(), for: subject)
        #expect(handlers.handler(for: step) is SecondHandler)
    }

    private struct SecondHandler: ChallengeHandler {
        func answer(_: Challenge) async -> Answer { .texts(["by": "second"]) }
    }

    @Test("a handler for a check, realm or type without a name ends the program that adds it") func nameless() async {
        await #expect(processExitsWith: .failure) {
            _ = ChallengeHandlers().adding(ChallengeResponder { _ in .texts([:]) }, for: .check(""))
        }
        await #expect(processExitsWith: .failure) {
            _ = ChallengeHandlers().adding(ChallengeResponder { _ in .texts([:]) }, for: .realm(""))
        }
        await #expect(processExitsWith: .failure) {
            _ = ChallengeHandlers().adding(ChallengeResponder { _ in .texts([:]) }, for: .type(""))
        }
    }

    @Test("a realm's handler answers the steps of its provider; a challenge has MobileFirst's JSON form")
    func realm()
        throws
    {
        let step = Step(
            id: "st_1",
            type: StepType(rawValue: "external"),
            check: "Corp",
            title: "Corp",
            nodes: [],
            attempts: AttemptsLeft(remaining: 2, max: 3),
            messages: [Message(code: "wrong", level: .error, text: "Wrong.")],
            data: ["realm": "corpRealm", "challenge": ["text": "Name and password"]]
        )
        let fallback = ChallengeHandlers(fallback: ChallengeResponder { _ in .texts(["by": "any"]) })
        #expect(fallback.adding(SecondHandler(), for: .realm("corpRealm")).handler(for: step) is SecondHandler)
        // Handlers for another realm, or for a check with the same name as the realm, are not called.
        for subject in [ChallengeHandlers.Subject.realm("otherRealm"), .check("corpRealm")] {
            #expect(fallback.adding(SecondHandler(), for: subject).handler(for: step) is ChallengeResponder)
        }
        let challenge = Challenge(flow: try Flow(WireReader(flowJSON())), step: step)
        #expect(challenge.realm == "corpRealm")
        #expect(
            challenge.json == [
                "challenges": ["Corp": ["text": "Name and password", "errorMsg": "Wrong.", "remainingAttempts": 2]]
            ]
        )
    }
}
