import AuthorityStore
import FlowModel
import Foundation
import Localization
import Moments
import OAuth
import Policies
import TestSupport
import Testing
import Tokens

@testable import Authority

@Suite(.timeLimit(.minutes(2)), .indexedStatements)
struct ResolveTests {
    @Test("short, long and repeated scopes are one list") func scopes() async throws {
        let scene = try await Scene()
        let resolved = try await scene.authority.resolve(TokenRequest("tasks.write", "tasks/tasks.read", "tasks.read"))
        #expect(resolved.scopes == ["tasks.read", "tasks.write"])
        #expect(resolved.audience == "tasks-audience")
        #expect(resolved.client == "tokenbroker-cli")
        #expect(resolved.policy.description == "b2c_1_sign_up_or_in")
    }

    @Test(
        "a client's own id, or OpenID Connect's scopes alone, ask for the client itself",
        arguments: [
            ["tokenbroker-cli"], ["openid", "offline_access"], ["tokenbroker-cli", "openid"],
        ]
    )
    func itself(_ scopes: [String]) async throws {
        let scene = try await Scene()
        let resolved = try await scene.authority.resolve(TokenRequest(scopes: scopes))
        #expect(resolved.audience == "tokenbroker-cli")
        #expect(resolved.scopes == ["tokenbroker-cli"])
    }

    @Test("where no scope is named all that the policy grants the client is meant, if it is of one API (RFC 6749 §3.3)")
    func usual() async throws {
        let reader = OAuthClient(
            ClientSummary(client: "reader", name: "reader", scopes: ["tasks/tasks.read", "tasks/accessRestricted"]),
            apis: ["tasks"]
        )
        let scene = try await Scene(settings: Scene.settings(clients: [reader]))
        let resolved = try await scene.authority.resolve(TokenRequest { $0.client = "reader" })
        #expect(resolved.scopes == ["tasks.read"])
        #expect(resolved.audience == "tasks-audience")
    }

    @Test("a resource says which API an ambiguous scope is of") func resource() async throws {
        let scene = try await Scene()
        let request = TokenRequest("shared") { $0.resource = "notes" }
        #expect(try await scene.authority.resolve(request).audience == "notes")
    }

    @Test("a policy is found in any case") func policyCase() async throws {
        let scene = try await Scene()
        let request = TokenRequest("tasks.read") { $0.policy = "B2C_1_Sign_In" }
        #expect(try await scene.authority.resolve(request).policy.description == "b2c_1_sign_in")
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        let why: String
        let reason: Refusal.Reason
        let request: TokenRequest
        var testDescription: String { why }
    }

    static let refused: [Refused] = [
        Refused(
            why: "no scope, and those of the policy are of two APIs",
            reason: .scopeDenied,
            request: TokenRequest(scopes: [])
        ),
        Refused(why: "unknown scope", reason: .scopeDenied, request: TokenRequest("tasks.fly")),
        Refused(why: "unknown API", reason: .scopeDenied, request: TokenRequest("cars/tasks.read")),
        Refused(why: "ambiguous scope", reason: .scopeDenied, request: TokenRequest("shared")),
        Refused(why: "two APIs", reason: .scopeDenied, request: TokenRequest("tasks.read", "notes.read")),
        Refused(
            why: "an API and the client",
            reason: .scopeDenied,
            request: TokenRequest("tasks.read", "tokenbroker-cli")
        ),
        Refused(
            why: "more scopes than a request may name",
            reason: .scopeDenied,
            request: TokenRequest(scopes: Array(repeating: "tasks.read", count: 65))
        ),
        Refused(
            why: "too many scopes, some of them additional",
            reason: .scopeDenied,
            request: TokenRequest("tasks.read") { $0.additionalScopes = Array(repeating: "tasks.read", count: 64) }
        ),
        Refused(why: "a check that does not exist", reason: .scopeDenied, request: TokenRequest("ghost")),
        Refused(
            why: "an additional scope of another API",
            reason: .scopeDenied,
            request: TokenRequest("tasks.read") { $0.additionalScopes = ["notes.read"] }
        ),
        Refused(
            why: "another resource than the scopes'",
            reason: .scopeDenied,
            request: TokenRequest("tasks.read") { $0.resource = "notes" }
        ),
        Refused(
            why: "a scope the policy does not grant",
            reason: .scopeDenied,
            request: TokenRequest("tasks.read") { $0.policy = "b2c_1_empty" }
        ),
        Refused(
            why: "a scope the client may not ask for",
            reason: .scopeDenied,
            request: TokenRequest("tasks.write") { $0.client = "reader" }
        ),
        Refused(
            why: "an additional scope the client may not ask for",
            reason: .scopeDenied,
            request: TokenRequest("tasks.read") {
                $0.client = "reader"
                $0.additionalScopes = ["tasks.write"]
            }
        ),
        Refused(
            why: "an additional scope the policy does not grant",
            reason: .scopeDenied,
            request: TokenRequest("tasks.read") {
                $0.policy = "b2c_1_reading"
                $0.additionalScopes = ["tasks.write"]
            }
        ),
        Refused(
            why: "an additional scope that there is not",
            reason: .scopeDenied,
            request: TokenRequest("tasks.read") { $0.additionalScopes = ["tasks.fly"] }
        ),
        Refused(
            why: "an additional scope with a check that does not exist",
            reason: .scopeDenied,
            request: TokenRequest("tasks.read") { $0.additionalScopes = ["ghost"] }
        ),
        Refused(
            why: "an unknown client",
            reason: .unknownClient,
            request: TokenRequest("tasks.read") { $0.client = "nobody" }
        ),
        Refused(
            why: "an unknown policy",
            reason: .unknownPolicy,
            request: TokenRequest("tasks.read") { $0.policy = "b2c_1_nothing" }
        ),
        Refused(
            why: "no policy's name",
            reason: .unknownPolicy,
            request: TokenRequest("tasks.read") { $0.policy = "../etc" }
        ),
        Refused(
            why: "a context no check reaches",
            reason: .unmetAuthenticationRequirements,
            request: TokenRequest("tasks.read") { $0.acrValues = ["9"] }
        ),
        Refused(
            why: "a negative age",
            reason: .unmetAuthenticationRequirements,
            request: TokenRequest("tasks.read") { $0.maxAge = -1 }
        ),
        Refused(
            why: "essential contexts without any of acrValues",
            reason: .unmetAuthenticationRequirements,
            request: TokenRequest("tasks.read") {
                $0.acrValues = ["1"]
                $0.claims = ["id_token": ["acr": ["essential": true, "values": ["2"]]]]
            }
        ),
    ]

    @Test("what can never be granted is refused by name", arguments: refused)
    func refusal(_ row: Refused) async throws {
        let catalogue = Scene.catalogue(extra: [
            Policy(id: Scene.id("b2c_1_empty"), kind: .signIn),
            Policy(id: Scene.id("b2c_1_reading"), kind: .signIn, scopes: ["tasks.read": []]),
        ])
        let reader = OAuthClient(
            ClientSummary(client: "reader", name: "reader", scopes: ["tasks/tasks.read"]),
            apis: ["tasks"]
        )
        let scene = try await Scene(catalogue: catalogue, settings: Scene.settings(clients: [reader]))
        let refusal = await #expect(throws: Refusal.self) { try await scene.authority.resolve(row.request) }
        #expect(refusal?.reason == row.reason)
    }

    @Test(
        "a refusal says what to change, in the language of the person",
        arguments: [
            (
                TokenRequest("shared"), "the scope is not unique; name one of notes/shared, tasks/shared",
                "die Berechtigung ist nicht eindeutig; nennen Sie eine von notes/shared, tasks/shared"
            ),
            (
                TokenRequest("tasks.fly"), "there is no scope tasks.fly", "eine Berechtigung tasks.fly gibt es nicht"
            ),
            (
                TokenRequest("\u{7}"), "there is no scope that was asked for", "diese Berechtigung gibt es nicht"
            ),
            (
                TokenRequest("tasks.write") { $0.client = "reader" }, "client reader may not ask for tasks/tasks.write",
                "die Anwendung reader darf tasks/tasks.write nicht verlangen"
            ),
            (
                TokenRequest("tasks.read") { $0.policy = "b2c_1_empty" },
                "policy b2c_1_empty does not grant tasks/tasks.read",
                "die Richtlinie b2c_1_empty erteilt tasks/tasks.read nicht"
            ),
            (
                TokenRequest("tasks.read") { $0.acrValues = ["9", "8"] },
                "policy b2c_1_sign_up_or_in reaches none of the authentication contexts 9, 8",
                "die Richtlinie b2c_1_sign_up_or_in erreicht keinen der Anmeldekontexte 9, 8"
            ),
            (
                TokenRequest("tasks.read") { $0.policy = "../etc" },
                """
                there is no such policy: a policy is named b2c_1_ and letters, digits or underscores, at most 64 characters
                """,
                """
                diese Richtlinie gibt es nicht: der Name einer Richtlinie ist b2c_1_ und danach Buchstaben, Ziffern oder Unterstriche, \
                höchstens 64 Zeichen
                """
            ),
            (
                TokenRequest("tasks.read") { $0.client = "nobody" }, "there is no client nobody",
                "eine Anwendung nobody gibt es nicht"
            ),
        ]
    )
    func sentence(_ request: TokenRequest, _ english: String, _ german: String) async throws {
        let reader = OAuthClient(
            ClientSummary(client: "reader", name: "reader", scopes: ["tasks/tasks.read"]),
            apis: ["tasks"]
        )
        let scene = try await Scene(
            catalogue: Scene.catalogue(extra: [Policy(id: Scene.id("b2c_1_empty"), kind: .signIn)]),
            settings: Scene.settings(clients: [reader])
        )
        let refusal = await #expect(throws: Refusal.self) { try await scene.authority.resolve(request) }
        #expect(refusal?.message == english)
        #expect(refusal?.text.words(in: .german) == german)
    }

    @Test("an unavailable policy refuses by what it lacks") func unavailable() async throws {
        let scene = try await Scene()
        let request = TokenRequest("tasks.read") { $0.policy = "b2c_1_facebook" }
        let refusal = await #expect(throws: Refusal.self) { try await scene.authority.resolve(request) }
        #expect(refusal?.reason == .unknownPolicy)
        #expect(refusal?.message == "configure facebook" && refusal?.facts[.missing] == "configure facebook")
    }

    @Test("a context that the sign-in does not reach adds the check that does") func context() async throws {
        let scene = try await Scene()
        let request = TokenRequest("tasks.read") { $0.acrValues = ["2"] }
        #expect(try await scene.authority.resolve(request).checks == ["EmailCode"])
        let essential = TokenRequest("tasks.read") {
            $0.claims = ["id_token": ["acr": ["essential": true, "values": ["2"]]]]
        }
        #expect(try await scene.authority.resolve(essential).acrValues == ["2"])
    }

    @Test("a scope's checks are asked, those of the sign-in are not named twice") func checks() async throws {
        let scene = try await Scene()
        #expect(try await scene.authority.resolve(TokenRequest("accessRestricted")).checks == ["EmailCode"])
        #expect(try await scene.authority.resolve(TokenRequest("tasks.read")).checks == [])
    }
}
