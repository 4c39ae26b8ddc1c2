import BrokerAPI
import FlowModel
import OAuth
import Synchronization
import TestSupport
import Testing

@testable import BrokerClient

@Suite(.timeLimit(.minutes(1)))
struct FlowTests {
    private static let cancel: ScriptedBroker.Script = { _ in ["flow": flowJSON("cancelled")] }
    private static let begin: ScriptedBroker.Script = { _ in ["kind": "flow", "joined": false, "flow": flowJSON()] }

    @Test("a cached token needs no handler") func silent() async throws {
        let broker = try ScriptedBroker()
        try await broker.serve(["token.acquire": { _ in ["kind": "token", "token": tokenJSON] }]) {
            let token = try await broker.client().acquireToken(scopes: ["tasks.read"])
            #expect(token.accessToken.reveal() == "t")
            let params = try #require(broker.received.first?.params)
            #expect(params["client"] == "app")
            #expect(params["requestId"]?.string != nil)
        }
    }

    @Test("a flow is answered step by step, and yields its token") func answered() async throws {
        let broker = try ScriptedBroker()
        let submit: ScriptedBroker.Script = { params in
            switch params["answers"]?["answer"] {
            case "wrong": ["verdict": "rejected", "flow": flowJSON(rev: 2, step: "st_2")]
            case "right": ["verdict": "next", "flow": flowJSON(rev: 3, step: "st_3", type: "code")]
            default: ["verdict": "accepted", "flow": flowJSON("succeeded", rev: 4), "token": tokenJSON]
            }
        }
        try await broker.serve(["token.acquire": Self.begin, "flow.submit": submit]) {
            let answers: [String: String] = ["st_1": "wrong", "st_2": "right", "st_3": "123456"]
            let handlers = ChallengeHandlers(
                fallback: ChallengeResponder { .texts(["answer": answers[$0.step.id] ?? ""]) }
            )
            let token = try await broker.client(handlers: handlers).acquireToken(scopes: ["tasks.read"])
            #expect(token.account == "a")
            let submissions = broker.received.filter { $0.method == "flow.submit" }
            #expect(submissions.compactMap { $0.params["step"]?.string } == ["st_1", "st_2", "st_3"])
            #expect(Set(submissions.compactMap { $0.params["submissionId"]?.string }).count == 3)
        }
    }

    @Test("a flow that another client finished leaves its token in the cache") func joined() async throws {
        let broker = try ScriptedBroker()
        let acquire: ScriptedBroker.Script = { params in
            if params["prompt"] == "none" { return ["kind": "token", "token": tokenJSON] }
            return ["kind": "flow", "joined": true, "flow": flowJSON()]
        }
        let scripts: [String: ScriptedBroker.Script] = [
            "token.acquire": acquire,
            "flow.submit": { _ in throw Refusal(.staleStep, Text(exactly: "Another client was quicker.")) },
            "flow.get": { _ in ["flow": flowJSON("succeeded", rev: 2)] },
        ]
        try await broker.serve(scripts) {
            let handlers = ChallengeHandlers(fallback: ChallengeResponder { _ in .texts([:]) })
            _ = try await broker.client(handlers: handlers).acquireToken(scopes: ["tasks.read"])
            #expect(broker.calls("token.acquire") == 2)
        }
    }

    @Test("a malformed answer is requested again, with the problem") func malformed() async throws {
        let broker = try ScriptedBroker()
        let submit: ScriptedBroker.Script = { params in
            if params["answers"]?["answer"] == "long enough" {
                return ["verdict": "accepted", "flow": flowJSON("succeeded"), "token": tokenJSON]
            }
            var refusal = Refusal(.invalidAnswer, Text(exactly: "Some answers are not as they must be."))
            refusal.nodes = [NodeProblem(name: "answer", code: .tooShort, text: "At least 8 characters.")]
            throw refusal
        }
        try await broker.serve(["token.acquire": Self.begin, "flow.submit": submit]) {
            let handlers = ChallengeHandlers(
                fallback: ChallengeResponder { challenge in
                    .texts(["answer": challenge.problems.first?.code == .tooShort ? "long enough" : "short"])
                }
            )
            _ = try await broker.client(handlers: handlers).acquireToken(scopes: [])
            #expect(broker.calls("flow.submit") == 2)
        }
    }

    @Test("an error thrown by a handler ends the flow and reaches the caller") func throwing() async throws {
        struct GivenUp: Error {}
        let broker = try ScriptedBroker()
        try await broker.serve(["token.acquire": Self.begin, "flow.cancel": Self.cancel]) {
            let client = broker.client(
                handlers: ChallengeHandlers(fallback: ChallengeResponder { _ in throw GivenUp() })
            )
            await #expect(throws: GivenUp.self) { try await client.acquireToken(scopes: []) }
            #expect(broker.calls("flow.cancel") == 1)
        }
    }

    @Test("one response with an opener and the next step reports both; an opener alone is no next step")
    func opened() async throws {
        @Sendable func flow(_ rev: Int64, step: String, opener: Int64?) -> JSONValue {
            var flow = flowJSON(rev: rev, step: step).object ?? [:]
            flow["browser"] = ["url": "https://login.example/f"]
            if let opener { flow["openedBy"] = ["uid": .int(opener)] }
            return .object(flow)
        }
        let answers = [
            flow(2, step: "st_1", opener: 1), flow(4, step: "st_2", opener: 2), flow(5, step: "st_3", opener: 2),
            flowJSON("succeeded", rev: 6),
        ]
        let next = Mutex(0)
        let scripts: [String: ScriptedBroker.Script] = [
            "token.acquire": { params in
                if params["prompt"] == "none" { return ["kind": "token", "token": tokenJSON] }
                return ["kind": "flow", "joined": false, "flow": flow(1, step: "st_1", opener: nil)]
            },
            "flow.wait": { _ in
                let number = next.withLock { number in
                    number += 1
                    return number
                }
                return ["flow": answers[number - 1]]
            },
        ]
        let seen = Mutex<[String]>([])
        let broker = try ScriptedBroker()
        try await broker.serve(scripts) {
            let client = broker.client { progress in
                seen.withLock { seen in
                    switch progress {
                    case .waits: break
                    case .opened(let opener): seen.append("\(opener)")
                    case .changed(let flow): seen.append(flow.step?.id ?? flow.state.name)
                    }
                }
            }
            _ = try await client.acquireToken(scopes: [])
        }
        let openers = ([1, 2] as [UInt32]).map { "\(LinkOpener.user(uid: $0, name: nil))" }
        #expect(seen.withLock(\.self) == [openers[0], openers[1], "st_2", "st_3", "succeeded"])
    }

    @Test("a step without a handler ends the flow") func unhandled() async throws {
        let broker = try ScriptedBroker()
        try await broker.serve(["token.acquire": Self.begin, "flow.cancel": Self.cancel]) {
            let error = await #expect(throws: ClientError.self) {
                try await broker.client().acquireToken(scopes: [])
            }
            #expect(error?.code == .unhandledChallenge)
            #expect(broker.calls("flow.cancel") == 1)
        }
    }

    @Test("a cancelled task cancels the flow, also while a handler waits") func cancelled() async throws {
        let broker = try ScriptedBroker()
        try await broker.serve(["token.acquire": Self.begin, "flow.cancel": Self.cancel]) {
            let asked = AsyncStream.makeStream(of: Void.self)
            let handler = ChallengeResponder { _ in
                asked.continuation.yield()
                try await untilCancelled()
                return .texts([:])
            }
            let client = broker.client(handlers: ChallengeHandlers(fallback: handler))
            let task = Task { try await client.acquireToken(scopes: []) }
            for await _ in asked.stream { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(broker.calls("flow.cancel") == 1)
        }
    }

    @Test(
        "a flow that ends without success is thrown as an error, with the flow",
        arguments: [("failed", "blocked"), ("failed", "denied"), ("cancelled", nil), ("expired", nil)]
            as [(String, String?)]
    )
    func ended(state: String, reason: String?) async throws {
        let broker = try ScriptedBroker()
        let scripts: [String: ScriptedBroker.Script] = [
            "token.acquire": Self.begin,
            "flow.submit": { _ in ["verdict": "rejected", "flow": flowJSON(state, reason: reason)] },
            "flow.cancel": Self.cancel,
        ]
        try await broker.serve(scripts) {
            let handlers = ChallengeHandlers(fallback: ChallengeResponder { _ in .texts([:]) })
            let error = await #expect(throws: ClientError.self) {
                try await broker.client(handlers: handlers).acquireToken(scopes: [])
            }
            #expect(error?.code == .flowEnded)
            #expect(error?.flow?.state.name == state)
            #expect(broker.calls("flow.cancel") == 0)
        }
    }

    @Test("a step that completes elsewhere is polled") func pending() async throws {
        let broker = try ScriptedBroker()
        let scripts: [String: ScriptedBroker.Script] = [
            "flow.start": { _ in ["flow": flowJSON("pending", rev: 3)] },
            "flow.wait": { _ in ["flow": flowJSON("succeeded", rev: 4)] },
        ]
        try await broker.serve(scripts) {
            let flow = try await broker.client().runFlow(policy: "b2c_1_sign_up", input: ["email": "jo@example.org"])
            #expect(flow.state == .succeeded)
            #expect(broker.received.last?.params["sinceRev"] == 3)
            #expect(broker.received.first?.params["input"] == ["email": "jo@example.org"])
        }
    }

    @Test("an action is sent as an action") func action() async throws {
        let broker = try ScriptedBroker()
        let scripts: [String: ScriptedBroker.Script] = [
            "flow.start": { _ in ["flow": flowJSON()] },
            "flow.action": { _ in ["flow": flowJSON("succeeded")] },
        ]
        try await broker.serve(scripts) {
            let handlers = ChallengeHandlers(fallback: ChallengeResponder { _ in .action("resend") })
            _ = try await broker.client(handlers: handlers).runFlow(policy: "p")
            #expect(broker.received.last?.params["action"] == "resend")
        }
    }

    @Test("a handler for a check precedes one for its type, then the general one; a scope's precedes the client's")
    func precedence() async throws {
        let broker = try ScriptedBroker()
        let names = Mutex<[String]>([])
        @Sendable func named(_ name: String) -> ChallengeResponder {
            ChallengeResponder { _ in
                names.withLock { $0.append(name) }
                return .texts([:])
            }
        }
        let scripts: [String: ScriptedBroker.Script] = [
            "flow.start": { params in
                let policy = params["policy"]?.string ?? ""
                return ["flow": flowJSON(type: policy == "other" ? "code" : "password", check: policy)]
            },
            "flow.submit": { _ in ["verdict": "accepted", "flow": flowJSON("succeeded")] },
        ]
        try await broker.serve(scripts) {
            let handlers = ChallengeHandlers(fallback: named("any"))
                .adding(named("type"), for: .type("password"))
                .adding(named("check"), for: .check("UserLogin"))
            let client = broker.client(handlers: handlers)
            for policy in ["UserLogin", "Unnamed", "other"] { _ = try await client.runFlow(policy: policy) }
            try await client.withHandler(named("scope"), for: .type("password")) {
                for policy in ["UserLogin", "other"] { _ = try await client.runFlow(policy: policy) }
                try await client.withHandler(named("inner")) { _ = try await client.runFlow(policy: "UserLogin") }
            }
            _ = try await client.runFlow(policy: "UserLogin")
            #expect(names.withLock { $0 } == ["check", "type", "any", "scope", "any", "inner", "check"])
        }
    }
}
