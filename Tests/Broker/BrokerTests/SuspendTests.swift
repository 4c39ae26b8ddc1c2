import FlowModel
import Flows
import Moments
import OAuth
import TestSupport
import Testing

@testable import Broker

/// Tests of a machine that was suspended for a night.
///
/// Everything that should have expired has expired, and no caller waits.
@Suite(.timeLimit(.minutes(2)), .indexedStatements) struct SuspendTests {
    private static let night = Duration.seconds(8 * 3600)

    @Test("a token that expired during suspend is not returned, from the cache or from memory") func token()
        async throws
    {
        let daemon = try await Daemon()
        let first = try await daemon.signUp()
        let (again, reuse) = try await daemon.reusable(AcquireRequest("tasks.read"))
        #expect(again.fromCache && again.accessToken == first.accessToken)
        daemon.time.suspend(for: Self.night)
        #expect(first.expiresAt < daemon.time.now.wall)
        #expect(reuse.until.hasEnded(at: daemon.time.now))
        let renewed = try await daemon.token(AcquireRequest("tasks.read") { $0.prompt = .none })
        #expect(!renewed.fromCache && renewed.accessToken != first.accessToken)
        #expect(renewed.expiresAt > daemon.time.now.wall)
    }

    @Test("a flow that expired during suspend is expired on resume: its callers are notified, and its slot is free")
    func flow()
        async throws
    {
        let daemon = try await Daemon()
        let request = StartFlowRequest(policy: "B2C_1_Sign_In", requestID: "before")
        let flow = try await daemon.broker.startFlow(request, caller: daemon.caller())
        // This time is longer than the lifetime of a flow, but too short for the flow to be deleted.
        daemon.time.suspend(for: .seconds(950))
        let seen = try await daemon.flows.wait(
            flow.id,
            owner: daemon.caller().owner,
            sinceRev: flow.rev,
            timeout: .seconds(60)
        )
        #expect(seen.state == .expired && seen.step == nil)
        daemon.time.suspend(for: Self.night)
        let refusal = await #expect(throws: Refusal.self) {
            try await daemon.flows.wait(
                flow.id,
                owner: daemon.caller().owner,
                sinceRev: seen.rev,
                timeout: .seconds(60)
            )
        }
        #expect(refusal?.reason == .flowNotFound)
        await daemon.broker.housekeeping()
        let open = try await daemon.flows.list(owner: daemon.caller().owner).filter { !$0.state.isTerminal }
        #expect(open.isEmpty)
        let next = try await daemon.broker.startFlow(request, caller: daemon.caller())
        #expect(next.id != flow.id)
        #expect(next.expiresAt > daemon.time.now.wall)
    }

    @Test("a block that ended during suspend is over, with no time left to wait") func block() async throws {
        let daemon = try await Daemon()
        let token = try await daemon.signUp()
        let login = AcquireRequest("tasks.read") {
            $0.prompt = .login
            $0.account = token.account
        }
        var flow = try await daemon.flow(login)
        for guess in 0..<3 { flow = try await daemon.answer(flow, password: "wrong-\(guess)").flow }
        let refusal = await #expect(throws: Refusal.self) { try await daemon.flow(login) }
        #expect(refusal?.reason == .blocked && (refusal?.retryAfterMs ?? 0) > 0)
        daemon.time.suspend(for: Self.night)
        let answer = try await daemon.answer(try await daemon.flow(login))
        #expect(answer.flow.state == .succeeded)
        #expect(answer.flow.retryAfterMs == nil)
    }
}
