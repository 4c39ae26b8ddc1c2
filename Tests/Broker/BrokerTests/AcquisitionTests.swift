import Administration
import Authority
import AuthorityStore
import FlowModel
import Flows
import Foundation
import Moments
import OAuth
import Policies
import Storage
import Synchronization
import TestSupport
import Testing
import TokenCache

@testable import Broker

@Suite(.timeLimit(.minutes(2)), .indexedStatements) struct AcquisitionTests {
    @Test("a sign-up yields a token, and the next call gets it from the cache") func signUp() async throws {
        let daemon = try await Daemon()
        let first = try await daemon.signUp()
        #expect(!first.fromCache)
        #expect(first.username == "ada@example.org")
        #expect(first.claims["name"] == "Ada")
        #expect(first.scopes == ["tasks.read"])
        #expect(first.policy == "b2c_1_sign_up_or_in")
        let second = try await daemon.token("tasks.read")
        #expect(second.fromCache)
        #expect(second.cached)
        #expect(second.accessToken == first.accessToken)
        #expect(second.account == first.account)
        let (_, reuse) = try await daemon.reusable(AcquireRequest("tasks.read"))
        #expect(reuse.generation == daemon.broker.tokens.generation(uid: 1000))
    }

    @Test("the answer that yields a token is two commits of the authority: the attempt and the claim, then the rest")
    func commits() async throws {
        let daemon = try await Daemon()
        let first = try await daemon.signUp()
        let flow = try await daemon.flow(AcquireRequest("tasks.read") { $0.prompt = .login })
        #expect(flow.step?.type == .password)
        let authority = daemon.folder.path("state/authority.sqlite")
        let before = try TestSupport.commits(inLogOf: authority)
        let token = try #require(try await daemon.answer(flow).token)
        #expect(try TestSupport.commits(inLogOf: authority) - before == 2)
        #expect(token.accessToken != first.accessToken && token.username == first.username)
        #expect(token.scopes == ["tasks.read"])
        let renewed = try await daemon.token(
            AcquireRequest("tasks.read") {
                $0.prompt = .none
                $0.forceRefresh = true
            }
        )
        #expect(!renewed.fromCache && renewed.accessToken != token.accessToken)
        let issued = AuditKind.tokenIssued.rawValue
        #expect(try await daemon.events().filter { $0 == issued }.count == 2)
    }

    @Test("a flow that was started on its own leaves a session, which yields the token silently") func flowStart()
        async throws
    {
        let daemon = try await Daemon()
        let flow = try await daemon.broker.startFlow(
            StartFlowRequest(policy: "B2C_1_Sign_Up", requestID: "r1"),
            caller: daemon.caller()
        )
        let answer = try await daemon.answer(flow)
        #expect(answer.flow.state == .succeeded)
        #expect(answer.token == nil)
        let account = try #require(try await daemon.broker.accounts.list(caller: daemon.caller()).first)
        #expect(account.policies == ["b2c_1_sign_up"])
        let token = try await daemon.token("tasks.read")
        #expect(!token.fromCache)
        #expect(token.account == account.account)
        #expect(token.policy == "b2c_1_sign_up_or_in")
    }

    @Test("another uid gets none of it") func otherUID() async throws {
        let daemon = try await Daemon()
        try await daemon.signUp()
        let refusal = await #expect(throws: Refusal.self) {
            try await daemon.token(AcquireRequest("tasks.read") { $0.prompt = .none }, uid: 1001)
        }
        #expect(refusal?.reason == .interactionRequired)
        #expect(try await daemon.broker.accounts.list(caller: daemon.caller(1001)).isEmpty)
        let account = try #require(try await daemon.broker.accounts.list(caller: daemon.caller()).first)
        let stolen = await #expect(throws: Refusal.self) {
            try await daemon.token(AcquireRequest("tasks.read") { $0.account = account.account }, uid: 1001)
        }
        #expect(stolen?.reason == .accountNotFound)
    }

    @Test("a first-party client gets its own token silently, another client needs consent only") func clients()
        async throws
    {
        let daemon = try await Daemon()
        let first = try await daemon.signUp()
        let own = try await daemon.token(AcquireRequest("tasks.read") { $0.client = "tasks-cli" })
        #expect(own.accessToken != first.accessToken)
        let flow = try await daemon.flow(AcquireRequest("tasks.read") { $0.client = "other" })
        #expect(flow.step?.type == .consent)
    }

    @Test("a token that expires soon is renewed, and so is an expired one, by one rotation each") func renewal()
        async throws
    {
        let daemon = try await Daemon()
        let first = try await daemon.signUp()
        daemon.time.advance(by: .seconds(3539))
        #expect(try await daemon.token("tasks.read").accessToken == first.accessToken)
        daemon.time.advance(by: .seconds(2))
        let second = try await daemon.token("tasks.read")
        #expect(second.accessToken != first.accessToken)
        #expect(!second.fromCache)
        #expect(second.authTime == first.authTime)
        daemon.time.advance(by: .seconds(80_000))
        let third = try await daemon.token("tasks.read")
        #expect(third.accessToken != second.accessToken)
        #expect(try await daemon.events().filter { $0 == "token.renewed" }.count == 2)
    }

    @Test("an expired token is never returned, not even to a request that accepts any validity") func ended()
        async throws
    {
        let daemon = try await Daemon()
        let first = try await daemon.signUp()
        daemon.time.advance(by: .seconds(3600))
        let second = try await daemon.token(AcquireRequest("tasks.read") { $0.minValidityMs = 0 })
        #expect(second.accessToken != first.accessToken)
    }

    @Test("forceRefresh gives a new token, which is then the cached one") func forced() async throws {
        let daemon = try await Daemon()
        let first = try await daemon.signUp()
        daemon.time.advance(by: .seconds(1))
        let second = try await daemon.token(AcquireRequest("tasks.read") { $0.forceRefresh = true })
        #expect(second.accessToken != first.accessToken)
        #expect(try await daemon.token("tasks.read").accessToken == second.accessToken)
    }

    @Test("a validity that no token has gives the newest one, renewed once a minute at most") func validity()
        async throws
    {
        let daemon = try await Daemon()
        try await daemon.signUp()
        let long = AcquireRequest("tasks.read") { $0.minValidityMs = 86_400_000 }
        let first = try await daemon.token(long)
        daemon.time.advance(by: .seconds(59))
        #expect(try await daemon.token(long).accessToken == first.accessToken)
        daemon.time.advance(by: .seconds(2))
        let second = try await daemon.token(long)
        #expect(second.accessToken != first.accessToken)
        #expect(try await daemon.token(long).accessToken == second.accessToken)
        #expect(try await daemon.events().filter { $0 == "token.renewed" }.count == 1)
    }

    @Test("an authentication that must be repeated leads to a prompt, a recent one does not") func maxAge() async throws
    {
        let daemon = try await Daemon()
        let first = try await daemon.signUp()
        let young = AcquireRequest("tasks.read") { $0.maxAge = 300 }
        let (cached, reuse) = try await daemon.reusable(young)
        #expect(cached.accessToken == first.accessToken)
        daemon.time.advance(by: .seconds(240))
        #expect(reuse.until.millisecondsLeft(at: daemon.time.now) <= 60_000)
        daemon.time.advance(by: .seconds(61))
        #expect(reuse.until.hasEnded(at: daemon.time.now))
        let flow = try await daemon.flow(young)
        #expect(flow.want.maxAge == 300)
        let token = try #require(try await daemon.answer(flow).token)
        #expect(token.authTime > first.authTime)
        #expect(try await daemon.token(young).accessToken == token.accessToken)
    }

    @Test("a context requires only its own check, and its token is valid as long as that check") func context()
        async throws
    {
        let daemon = try await Daemon()
        try await daemon.signUp()
        daemon.time.advance(by: .seconds(120))
        let flow = try await daemon.flow(AcquireRequest("tasks.share"))
        #expect(flow.step?.type == .code)
        let answer = try await daemon.answer(flow)
        let token = try #require(answer.token)
        #expect(token.acr == "2")
        #expect(token.expiresAt - daemon.time.now.wall <= 60_000)
        #expect(try await daemon.token(AcquireRequest("tasks.read") { $0.acrValues = ["2"] }).acr == "2")
    }

    @Test("the prompt `none` starts no flow and sends no mail if a check is missing") func silent() async throws {
        let daemon = try await Daemon()
        try await daemon.signUp()
        daemon.time.advance(by: .seconds(120))
        let before = try await daemon.events()
        let refusal = await #expect(throws: Refusal.self) {
            try await daemon.token(AcquireRequest("tasks.share") { $0.prompt = .none })
        }
        #expect(refusal?.reason == .interactionRequired)
        #expect(try await daemon.events() == before)
        #expect(try await daemon.store.outbox.take(limit: 10, lease: .seconds(3600)).isEmpty)
    }

    @Test("a cached token of another context than the requested one is not used") func anotherContext() async throws {
        let daemon = try await Daemon()
        let first = try await daemon.signUp()
        #expect(first.acr == "2")
        let other = try await daemon.token(AcquireRequest("tasks.read") { $0.acrValues = ["1"] })
        #expect(other.acr == "1" && !other.fromCache && other.accessToken != first.accessToken)
    }

    @Test("additional scopes are requested during interaction, and do not affect the search for a cached token")
    func additional()
        async throws
    {
        let daemon = try await Daemon()
        let request = AcquireRequest("tasks.read") {
            $0.additionalScopes = ["tasks.write"]
            $0.prompt = .create
        }
        let token = try #require(try await daemon.answer(try await daemon.flow(request)).token)
        #expect(token.scopes == ["tasks.read", "tasks.write"])
        let narrow = AcquireRequest("tasks.read") { $0.additionalScopes = ["tasks.share"] }
        #expect(try await daemon.token(narrow).accessToken == token.accessToken)
    }

    @Test("a restart keeps accounts and tokens") func restart() async throws {
        let place = try Place()
        // The first daemon exists only during this call. Afterwards, its locks are released.
        let token = try await Daemon(in: place).signUp()
        let after = try await Daemon(in: place)
        let again = try await after.token("tasks.read")
        #expect(again.fromCache)
        #expect(again.accessToken == token.accessToken)
    }

    @Test("a flow that ended before its account was written restores the account") func crash() async throws {
        let daemon = try await Daemon()
        var request = AcquireRequest(scopes: ["tasks.read"])
        request.prompt = .create
        var flow = try await daemon.flow(request)
        while let step = flow.step {
            let answers: [String: JSONValue] =
                step.type == .code
                ? ["code": .string(try await daemon.code())]
                : ["email": "ada@example.org", "displayName": "Ada", "password": .string(Daemon.password)]
            flow = try await daemon.flows.submit(
                .init(flow: flow.id, step: step.id, submissionID: step.id, answers: answers),
                caller: daemon.caller()
            ).flow
        }
        #expect(flow.state == .succeeded)
        #expect(try await daemon.broker.accounts.list(caller: daemon.caller()).isEmpty)
        #expect(try await daemon.token("tasks.read").username == "ada@example.org")
    }

    @Test("many concurrent calls get what they requested, and the account still renews", arguments: 0..<6)
    func parallel(_ round: Int) async throws {
        let daemon = try await Daemon()
        let flow = try await daemon.broker.startFlow(
            StartFlowRequest(policy: "b2c_1_sign_up", requestID: "r1"),
            caller: daemon.caller()
        )
        _ = try await daemon.answer(flow)
        try await withThrowingTaskGroup(of: AcquiredToken.self) { group in
            for index in 0..<40 {
                group.addTask { try await daemon.token(index % 2 == 0 ? "tasks.read" : "tasks.write") }
            }
            for try await _ in group {}
        }
        daemon.time.advance(by: .seconds(90_000))
        #expect(try await daemon.store.sessions.live(owner: daemon.caller().owner).isEmpty)
        let read = try await daemon.token(AcquireRequest("tasks.read") { $0.prompt = .none })
        let write = try await daemon.token(AcquireRequest("tasks.write") { $0.prompt = .none })
        #expect(read.accessToken == write.accessToken)
        #expect(write.scopes == ["tasks.read", "tasks.write"])
    }

    @Test("equal requests share one flow, and the same request finds it again") func joining() async throws {
        let daemon = try await Daemon()
        let request = AcquireRequest("tasks.read") { $0.requestID = "r1" }
        let flow = try await daemon.flow(request)
        #expect(try await daemon.flow(request).id == flow.id)
        guard
            case .flow(let joined, true) = try await daemon.broker.tokens.acquire(
                AcquireRequest("tasks/tasks.read"),
                caller: daemon.caller()
            )
        else {
            Issue.record("the request did not join")
            return
        }
        #expect(joined.id == flow.id)
        #expect(try await daemon.flow(AcquireRequest("tasks.write")).id != flow.id)
        #expect(try await daemon.flow(AcquireRequest("tasks.read"), uid: 1001).id != flow.id)
    }

    /// A request that must not join the flow of ``plain``, with a description of the difference.
    struct Different: Sendable, CustomTestStringConvertible {
        let what: String
        let request: AcquireRequest
        var testDescription: String { what }
    }

    private static let plain = AcquireRequest("tasks.read") {
        $0.client = "tokenbroker-cli"
        $0.maxAge = 600
    }

    private static func differing(_ what: String, _ change: (inout AcquireRequest) -> Void) -> Different {
        var request = plain
        change(&request)
        return Different(what: what, request: request)
    }

    @Test(
        "a request for something else joins no flow",
        arguments: [
            differing("client") { $0.client = "tasks-cli" },
            differing("third-party client") { $0.client = "other" },
            differing("greater age") { $0.maxAge = 601 }, differing("smaller age") { $0.maxAge = 599 },
            differing("any age") { $0.maxAge = nil }, differing("context") { $0.acrValues = ["2"] },
            differing("policy") { $0.policy = "b2c_1_sign_in" }, differing("scopes") { $0.scopes = ["tasks.write"] },
            differing("prompt") { $0.prompt = .login },
            differing("person") { $0.user = .init(id: "bob@example.org") },
        ]
    )
    func joinsNot(_ different: Different) async throws {
        let daemon = try await Daemon()
        let flow = try await daemon.flow(Self.plain)
        #expect(try await daemon.flow(Self.plain).id == flow.id)
        #expect(try await daemon.flow(different.request).id != flow.id)
    }

    @Test("a request that is repeated after an account appeared finds its flow") func repeated() async throws {
        let daemon = try await Daemon()
        let request = AcquireRequest("tasks.read") {
            $0.requestID = "r1"
            $0.prompt = .login
        }
        let flow = try await daemon.flow(request)
        try await daemon.signUp()
        #expect(try await daemon.flow(request).id == flow.id)
        var other = request
        other.forceRefresh = true
        let error = await #expect(throws: InvalidParameters.self) { try await daemon.flow(other) }
        #expect(error?.text == Text("refusal.requestIDUsed"))
    }

    @Test("authentication from before a sign-out yields nothing after it, nor after a restart") func metBefore()
        async throws
    {
        let place = try Place()
        let again = try await signedOutBetween(place)
        let next = try await Daemon(in: place)
        let refusal = await #expect(throws: Refusal.self) {
            try await next.broker.flows.submit(again, caller: next.caller())
        }
        #expect(refusal?.reason == .interactionRequired)
        #expect(try await next.broker.accounts.list(caller: next.caller()).isEmpty)
        #expect(try await next.store.families.list(owner: next.caller().owner).isEmpty)
    }

    /// Authenticates a user for a token, but signs the user out before the token is issued.
    ///
    /// The daemon ends when the function returns.
    ///
    /// - Returns: The submission that authenticated the user.
    private func signedOutBetween(_ place: Place) async throws -> FlowSubmission {
        let daemon = try await Daemon(in: place)
        let account = try await daemon.signUp().account
        let flow = try await daemon.flow(AcquireRequest("tasks.read") { $0.prompt = .login })
        let step = try #require(flow.step?.id)
        let answers: [String: JSONValue] = ["username": "ada@example.org", "password": .string(Daemon.password)]
        let submission = FlowSubmission(flow: flow.id, step: step, submissionID: "s", answers: answers)
        let result = try await daemon.flows.submit(submission, caller: daemon.caller())
        #expect(result.finished?.pendingRequest != nil)
        _ = try await daemon.broker.signOuts.signOut(
            SignOutRequest(.account(account)),
            caller: daemon.caller()
        )
        return submission
    }

    @Test(
        "an unsupported mode or provider is rejected by name",
        arguments: [
            AcquireRequest("tasks.read") { $0.mode = .browser },
            AcquireRequest("tasks.read") { $0.mode = .device },
            AcquireRequest("tasks.read") { $0.provider = "github" },
        ]
    )
    func unsupported(_ request: AcquireRequest) async throws {
        let daemon = try await Daemon()
        let refusal = await #expect(throws: Refusal.self) {
            try await daemon.broker.tokens.acquire(request, caller: daemon.caller())
        }
        #expect(refusal?.reason == .unsupportedStep)
    }

    @Test("three wrong passwords block the sign-in, and a cached token is still returned") func blocked() async throws {
        let daemon = try await Daemon()
        let token = try await daemon.signUp()
        let login = AcquireRequest("tasks.read") {
            $0.prompt = .login
            $0.account = token.account
        }
        var flow = try await daemon.flow(login)
        for guess in 0..<3 {
            flow = try await daemon.answer(flow, password: "wrong-\(guess)").flow
        }
        #expect(flow.state == .failed(.blocked))
        let refusal = await #expect(throws: Refusal.self) { try await daemon.flow(login) }
        #expect(refusal?.reason == .blocked)
        #expect((refusal?.retryAfterMs ?? 0) > 0)
        #expect(try await daemon.token("tasks.read").accessToken == token.accessToken)
    }

    @Test("tokens that a revoked key signed are no longer returned") func revokedKey() async throws {
        let daemon = try await Daemon()
        let token = try await daemon.signUp()
        let generation = daemon.broker.tokens.generation(uid: 1000)
        let key = try #require(try await daemon.root().keys().first)
        _ = try await daemon.root().revokeKey(key.kid)
        #expect(daemon.broker.tokens.generation(uid: 1000) != generation)
        #expect(try await daemon.token("tasks.read").accessToken != token.accessToken)
    }

    @Test("an answer that is repeated returns the flow, and the token is in the cache") func again() async throws {
        let daemon = try await Daemon()
        let request = AcquireRequest("tasks.read") { $0.prompt = .create }
        let flow = try await daemon.flow(request)
        let first = try await daemon.answer(flow)
        #expect(first.token != nil)
        let listed = try await daemon.flows.list(owner: daemon.caller().owner)
        #expect(listed.isEmpty)
        let got = try await daemon.flows.get(flow.id, owner: daemon.caller().owner)
        #expect(got.state == .succeeded)
        #expect(try await daemon.token("tasks.read").accessToken == first.token?.accessToken)
        let other = await #expect(throws: Refusal.self) {
            try await daemon.flows.get(flow.id, owner: daemon.caller(1001).owner)
        }
        #expect(other?.reason == .flowNotFound)
    }

    @Test("a shared renewal that does not cover another request is repeated for that request") func sharedInVain()
        async throws
    {
        let daemon = try await Daemon()
        let first = try await daemon.signUp()
        let family = FamilyKey(uid: 1000, account: first.account, client: "tokenbroker-cli", policy: first.policy)
        let renewer = daemon.broker.store.renewer
        let lacking = try await daemon.authority.resolve(TokenRequest(scopes: ["tasks.write"]))
        let gate = AsyncStream<Void>.makeStream()
        let inVain = Task {
            try await renewer.renewed(family) {
                for await _ in gate.stream { break }
                throw UncoveredRequest(request: lacking)
            }
        }
        try await waitUntil("it is under way") { await renewer.waiting(family) >= 1 }
        let token = Task { try await daemon.token(AcquireRequest("tasks.read") { $0.forceRefresh = true }) }
        try await waitUntil("it is shared") { await renewer.waiting(family) >= 2 }
        gate.continuation.yield()
        await #expect(throws: UncoveredRequest(request: lacking)) { try await inVain.value }
        #expect(try await token.value.accessToken != first.accessToken)
        #expect(try await daemon.events().filter { $0 == "token.renewed" }.count == 1)
    }
}
