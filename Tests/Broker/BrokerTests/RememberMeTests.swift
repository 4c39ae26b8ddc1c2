import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import TestSupport
import Testing

@testable import Broker

/// Over the socket, a user can choose to be remembered (MobileFirst's `rememberMeDurationSec`).
@Suite(.timeLimit(.minutes(2)), .indexedStatements)
struct RememberMeTests {
    private static let day = Duration.seconds(86_400)

    /// Creates a daemon that remembers users for three days, with a user that has signed up and signed out.
    ///
    /// A password counts for the duration `success`, or as long as the session if `success` is `nil`.
    private func daemon(success: Duration? = nil) async throws -> Daemon {
        let password = Check(
            name: "UserLogin",
            type: .password,
            successStateExpiration: success,
            rememberMe: Self.day * 3
        )
        let daemon = try await Daemon(catalogue: Daemon.catalogue(password: password))
        try await daemon.signUp()
        _ = try await daemon.broker.signOuts.signOut(.init(.all), caller: daemon.caller())
        return daemon
    }

    /// Signs in with the password.
    @discardableResult
    private func signIn(_ daemon: Daemon, remembers: Bool?) async throws -> AcquiredToken {
        let flow = try await daemon.flow(AcquireRequest("tasks.read") { $0.prompt = .login })
        return try #require(try await daemon.answer(flow, remembers: remembers).token)
    }

    /// Requests a token for `tasks-cli`, which is not the client of the sign-in and has no refresh token.
    private func other(
        _ daemon: Daemon,
        _ change: (inout AcquireRequest) -> Void = { _ in }
    ) async throws
        -> AcquiredToken
    {
        let request = AcquireRequest("tasks.read") {
            $0.client = "tasks-cli"
            $0.prompt = .none
            change(&$0)
        }
        return try await daemon.token(request)
    }

    private func expectAsked(_ daemon: Daemon, _ change: (inout AcquireRequest) -> Void = { _ in }) async {
        let refusal = await #expect(throws: Refusal.self) { try await other(daemon, change) }
        #expect(refusal?.reason == .interactionRequired)
    }

    @Test("IF §1.3: a remembered user is not prompted after the session until the duration ends; auth_time stays")
    func remembered() async throws {
        let daemon = try await daemon()
        let first = try await signIn(daemon, remembers: true)
        daemon.time.advance(by: Self.day * 2)
        let again = try await other(daemon)
        #expect(again.authTime == first.authTime && again.amr == ["pwd"] && again.acr == first.acr)
        let event = try #require(try await daemon.store.audit.all(limit: 1000).last { $0.event == "signin.succeeded" })
        #expect(event.detail["by"] == "remembered" && event.detail["check"] == "UserLogin")
        // The session from a remembered sign-in ends when the user is no longer remembered.
        let owner = daemon.caller().owner
        #expect(try await daemon.store.sessions.live(owner: owner).count == 1)
        daemon.time.advance(by: Self.day + .seconds(1))
        #expect(try await daemon.store.sessions.live(owner: owner).isEmpty)
        #expect(try await daemon.store.remembered.live(owner: owner).isEmpty)
    }

    @Test("the remembered duration starts at the password, even if tokens were requested meanwhile") func duration()
        async throws
    {
        let daemon = try await daemon(success: .seconds(60))
        try await signIn(daemon, remembers: true)
        for _ in 0..<2 {
            daemon.time.advance(by: Self.day)
            #expect(try await other(daemon).amr == ["pwd"])
        }
        daemon.time.advance(by: Self.day + .seconds(1))
        await expectAsked(daemon)
    }

    @Test("a user that is not remembered is prompted after the session ends", arguments: [false, nil])
    func notRemembered(_ answer: Bool?) async throws {
        let daemon = try await daemon()
        try await signIn(daemon, remembers: answer)
        daemon.time.advance(by: Self.day * 2)
        await expectAsked(daemon)
    }

    @Test("within a session an expired check succeeds at once, and so does the renewal of a token")
    func expiredCheck() async throws {
        let daemon = try await daemon(success: .seconds(60))
        let first = try await signIn(daemon, remembers: true)
        daemon.time.advance(by: .seconds(7200))
        #expect(try await other(daemon).authTime == first.authTime)
        let renewed = try await daemon.token(AcquireRequest("tasks.read") { $0.prompt = .none })
        #expect(!renewed.fromCache && renewed.authTime == first.authTime)
        let plain = try await self.daemon(success: .seconds(60))
        try await signIn(plain, remembers: false)
        plain.time.advance(by: .seconds(7200))
        await expectAsked(plain)
    }

    @Test("prompt login, and a required newer authentication, prompt a remembered user") func asks() async throws {
        let daemon = try await daemon()
        try await signIn(daemon, remembers: true)
        daemon.time.advance(by: Self.day * 2)
        await expectAsked(daemon) { $0.maxAge = 60 }
        _ = try await daemon.flow(AcquireRequest("tasks.read") { $0.prompt = .login })
        #expect(try await other(daemon) { $0.maxAge = 3 * 86_400 }.amr == ["pwd"])
    }

    @Test("polling for a scope that needs more than the password leaves one session and one event") func poll()
        async throws
    {
        let daemon = try await daemon()
        try await signIn(daemon, remembers: true)
        daemon.time.advance(by: Self.day * 2)
        for _ in 0..<3 { await expectAsked(daemon) { $0.scopes = ["tasks.share"] } }
        #expect(try await daemon.store.sessions.live(owner: daemon.caller().owner).count == 1)
        let events = try await daemon.store.audit.all(limit: 1000).filter {
            $0.event == "signin.succeeded" && $0.detail["by"] == "remembered"
        }
        #expect(events.count == 1)
    }

    @Test("a later \"no\" in another check of the same password also ends a remembered sign-in") func otherCheck()
        async throws
    {
        let checks = [
            Check(name: "UserLogin", type: .password, rememberMe: Self.day * 3),
            Check(name: "Again", type: .password),
        ]
        let names = ["b2c_1_sign_up_or_in": "UserLogin", "b2c_1_again": "Again"]
        let policies = names.map { name, check in
            Policy(
                id: Daemon.policy(name),
                kind: .signUpOrSignIn,
                attributes: [
                    AttributeRule(name: "email", kind: .email, required: true, verify: true),
                    AttributeRule(name: "displayName", required: true),
                ],
                signInChecks: [check],
                scopes: ["tasks.read": []],
                checks: Dictionary(checks.map { ($0.name, $0) }) { first, _ in first }
            )
        }
        let catalogue = PolicyCatalogue(policies: policies, checks: checks, order: checks.map(\.name))
        let daemon = try await Daemon(catalogue: catalogue)
        try await daemon.signUp()
        try await signIn(daemon, remembers: true)
        let owner = daemon.caller().owner
        #expect(try await daemon.store.remembered.live(owner: owner).count == 1)
        let flow = try await daemon.flow(
            AcquireRequest("tasks.read") {
                $0.prompt = .login
                $0.policy = "b2c_1_again"
            }
        )
        _ = try #require(try await daemon.answer(flow).token)
        #expect(try await daemon.store.remembered.live(owner: owner).isEmpty)
    }

    @Test("an authentication with a live session creates no second session") func resumedOnce() async throws {
        let daemon = try await daemon()
        try await signIn(daemon, remembers: true)
        daemon.time.advance(by: Self.day * 2)
        _ = try await other(daemon)
        let owner = daemon.caller().owner
        let kept = try #require(try await daemon.store.remembered.live(owner: owner).first)
        let session = try #require(try await daemon.store.sessions.live(owner: owner).first)
        let second = SessionRow(
            id: "second",
            owner: owner,
            user: session.user,
            proofs: session.proofs,
            policy: session.policy,
            client: session.client,
            scope: session.scope,
            createdAt: session.createdAt,
            ends: session.ends,
            absoluteEnd: session.absoluteEnd
        )
        #expect(try await daemon.store.remembered.resume(kept, as: second, events: [])?.id == session.id)
        #expect(try await daemon.store.sessions.live(owner: owner).map(\.id) == [session.id])
    }

    @Test("a remembered sign-in belongs to its uid only") func whose() async throws {
        let daemon = try await daemon()
        try await signIn(daemon, remembers: true)
        try await daemon.signUp("bob@example.org", uid: 1001)
        daemon.time.advance(by: Self.day * 2)
        let request = AcquireRequest("tasks.read") {
            $0.client = "tasks-cli"
            $0.prompt = .none
        }
        for uid: UInt32 in [1001, 1002] {
            let refusal = await #expect(throws: Refusal.self) { try await daemon.token(request, uid: uid) }
            #expect(refusal?.reason == .interactionRequired, "\(uid)")
        }
        #expect(try await other(daemon).username == "ada@example.org")
    }

    /// The events that end a remembered sign-in.
    enum Ending: CaseIterable {
        case signOut
        case checkLogout
        case passwordChange
        case disabling
        case anotherSignIn
        case expiredPassword
    }

    @Test(
        "a sign-out, expiry, a new password, a disabled account and a later \"no\" end a remembered sign-in"
    )
    func forgotten() async throws {
        for ending in Ending.allCases {
            let daemon = try await daemon()
            try await signIn(daemon, remembers: true)
            let user = try #require(try await daemon.store.users.find(signInName: "ada@example.org"))
            switch ending {
            case .signOut: _ = try await daemon.broker.signOuts.signOut(.init(.all), caller: daemon.caller())
            case .checkLogout:
                _ = try await daemon.broker.flows.logOut(
                    "UserLogin",
                    policy: nil,
                    account: nil,
                    caller: daemon.caller()
                )
            case .passwordChange:
                let hash = try #require(user.passwordHash)
                try await daemon.store.users.changePassword(
                    of: user.id,
                    from: hash,
                    to: hash,
                    keeping: daemon.caller().owner,
                    settled: [],
                    events: []
                )
            case .disabling:
                try await daemon.store.users.setEnabled(user.id, false)
                try await daemon.store.users.setEnabled(user.id, true)
            case .anotherSignIn: try await signIn(daemon, remembers: nil)
            case .expiredPassword: try await daemon.store.users.requireNewPassword(of: user.id, events: [])
            }
            daemon.time.advance(by: Self.day * 2)
            let kept = try await daemon.store.remembered.live(owner: daemon.caller().owner)
            #expect(kept.isEmpty, "\(ending)")
            await expectAsked(daemon)
        }
    }

    @Test("a concurrent sign-out prevents a session from a remembered sign-in") func overtaken() async throws {
        let daemon = try await daemon()
        try await signIn(daemon, remembers: true)
        let owner = daemon.caller().owner
        let kept = try #require(try await daemon.store.remembered.live(owner: owner).first)
        let session = try #require(try await daemon.store.sessions.live(owner: owner).first)
        _ = try await daemon.broker.signOuts.signOut(.init(.all), caller: daemon.caller())
        #expect(try await daemon.store.remembered.resume(kept, as: session, events: []) == nil)
        #expect(try await daemon.store.sessions.live(owner: owner).isEmpty)
    }

    @Test("expired remembered sign-ins are deleted") func sweep() async throws {
        let daemon = try await daemon()
        try await signIn(daemon, remembers: true)
        #expect(try await daemon.store.remembered.sweep(limit: 10) == 0)
        daemon.time.advance(by: Self.day * 3 + .seconds(1))
        #expect(try await daemon.store.remembered.sweep(limit: 10) == 1)
    }
}
