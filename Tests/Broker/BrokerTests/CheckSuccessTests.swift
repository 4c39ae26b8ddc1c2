import FlowModel
import Moments
import OAuth
import Policies
import TestSupport
import Testing

@testable import Broker

/// A check counts as passed for the time that `checks.yaml` sets, or until the user logs out of the check.
@Suite(.timeLimit(.minutes(2)), .indexedStatements)
struct CheckSuccessTests {
    private static let again = "PasswordAgain"

    /// Creates a daemon in which the scope `tasks.share` requires a password from the last `seconds` seconds.
    private func daemon(success seconds: Int) async throws -> Daemon {
        let checks = """
            checks:
              UserLogin: {type: password}
              \(Self.again): {type: password, successStateExpirationSec: \(seconds)}
              EmailCode: {type: emailCode}
            """
        let policy = """
            kind: sign-up-or-sign-in
            attributes: [{name: email, required: true, verify: true}, {name: displayName, required: true}]
            signInChecks: [UserLogin]
            scopes: {tasks.read: [], tasks.write: [], tasks.share: [\(Self.again)]}
            """
        let (loaded, problems) = PolicyCatalogue.load(files: [
            .init(path: "p/checks.yaml", text: checks), .init(path: "p/b2c_1_sign_up_or_in.yaml", text: policy),
        ])
        return try await Daemon(catalogue: try #require(loaded, "\(problems)"))
    }

    private func status(_ check: String, _ daemon: Daemon) async throws -> CheckStatus {
        try await daemon.broker.flows.checkStatus(
            check,
            policy: nil,
            client: nil,
            account: nil,
            caller: daemon.caller()
        )
    }

    /// Requests a token without prompts, and returns why it is refused, or `nil` if it is issued.
    private func refusal(_ scope: String, _ daemon: Daemon) async -> Refusal.Reason? {
        let request = AcquireRequest(scope) { $0.prompt = .none }
        return await #expect(throws: Refusal.self) { try await daemon.token(request) }?.reason
    }

    @Test(
        "`successStateExpirationSec` is how long a success counts and its tokens last, then the check is repeated",
        arguments: [120, 900]
    )
    func expires(_ seconds: Int) async throws {
        let daemon = try await daemon(success: seconds)
        try await daemon.signUp()
        let end = daemon.time.now.wall + Int64(seconds) * 1000
        #expect(try await status(Self.again, daemon) == CheckStatus(check: Self.again, state: .success, expiresAt: end))
        #expect(try await daemon.token("tasks.share").expiresAt == end)
        daemon.time.advance(by: .seconds(seconds + 1))
        #expect(try await status(Self.again, daemon).state == .none)
        #expect(try await status("UserLogin", daemon).state == .success)
        #expect(await refusal("tasks.share", daemon) == .interactionRequired)
        #expect(try await daemon.token("tasks.read").scopes == ["tasks.read"])
        let asked = try await daemon.flow(AcquireRequest("tasks.share"))
        let step = try #require(asked.step)
        #expect(step.type == .password && step.check == Self.again)
        let answer = FlowSubmission(
            flow: asked.id,
            step: step.id,
            submissionID: "s1",
            answers: ["password": .string(Daemon.password)]
        )
        let token = try #require(try await daemon.broker.flows.submit(answer, caller: daemon.caller()).token)
        #expect(token.expiresAt == daemon.time.now.wall + Int64(seconds) * 1000)
    }

    @Test(
        "ending one of two checks of one password also ends the other and its tokens, but no other credential",
        arguments: ["UserLogin", again]
    )
    func ended(_ check: String) async throws {
        let daemon = try await daemon(success: 900)
        try await daemon.signUp()
        _ = try await daemon.token("tasks.share")
        for name in ["UserLogin", Self.again, "EmailCode"] {
            #expect(try await status(name, daemon).state == .success, "\(name)")
        }
        let after = try await daemon.broker.flows.logOut(check, policy: nil, account: nil, caller: daemon.caller())
        #expect(after == CheckStatus(check: check, state: .none))
        for name in ["UserLogin", Self.again] { #expect(try await status(name, daemon).state == .none, "\(name)") }
        #expect(try await status("EmailCode", daemon).state == .success)
        for scope in ["tasks.share", "tasks.read"] {
            #expect(await refusal(scope, daemon) == .interactionRequired, "\(scope)")
        }
        let events = try await daemon.ownEvents().filter { $0.event == "check.logged_out" }
        #expect(events.map { $0.detail["check"] } == [check])
        // Entering the password once passes both checks again.
        _ = try await daemon.answer(try await daemon.flow(AcquireRequest("tasks.read")))
        for name in ["UserLogin", Self.again] { #expect(try await status(name, daemon).state == .success, "\(name)") }
    }
}
