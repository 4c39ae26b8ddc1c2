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
    @Test("scopes in short form, in long form and repeated are one list") func scopes() async throws {
        let scene = try await Scene()
        let resolved = try await scene.authority.resolve(TokenRequest("tasks.write", "tasks/tasks.read", "tasks.read"))
        #expect(resolved.scopes == ["tasks.read", "tasks.write"])
        #expect(resolved.audience == "tasks-audience")
        #expect(resolved.client == "tokenbroker-cli")
        #expect(resolved.policy.description == "b2c_1_sign_up_or_in")
    }

    @Test(
        "the client's own id, or only OpenID Connect scopes, request a token for the client itself",
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

    @Test("RFC 6749 §3.3: without scopes a request means all scopes that the policy grants, if they belong to one API")
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

    @Test("the default scopes are limited to those that the client may request and the policy grants")
    func defaults() async throws {
        let reader = OAuthClient(
            ClientSummary(client: "reader", name: "reader", scopes: ["tasks/tasks.read", "tasks/accessRestricted"]),
            apis: ["tasks"]
        )
        let all = ["accessRestricted", "tasks.write", "tasks.read"]
        let scene = try await Scene(
            catalogue: Scene.catalogue(extra: [Policy(id: Scene.id("b2c_1_empty"), kind: .signIn)]),
            settings: Scene.settings(clients: [reader], defaultScopes: all)
        )
        let limited = try await scene.authority.resolve(.unscoped { $0.client = "reader" })
        #expect(limited.scopes == ["accessRestricted", "tasks.read"] && limited.checks == ["EmailCode"])
        #expect(limited.audience == "tasks-audience" && limited.spelledScopes.isEmpty)
        // `tokenbroker-cli` may request both APIs, and only one of them has default scopes.
        #expect(try await scene.authority.resolve(.unscoped()).scopes == all.sorted())
        #expect(try await refusal(scene) { $0.policy = "b2c_1_empty" } == .notPermitted)
    }

    @Test("an API without default scopes requires that the client and the policy may have one of its scopes")
    func noDefaults() async throws {
        let catalogue = Scene.catalogue(extra: [
            Policy(id: Scene.id("b2c_1_empty"), kind: .signIn),
            Policy(id: Scene.id("b2c_1_reading"), kind: .signIn, scopes: ["tasks.read": []]),
        ])
        let scopes = [("reader", "tasks/tasks.read"), ("writer", "tasks/tasks.write"), ("foreign", "notes/shared")]
        let clients = scopes.map { OAuthClient(ClientSummary(client: $0, name: $0, scopes: [$1]), apis: ["tasks"]) }
        let scene = try await Scene(catalogue: catalogue, settings: Scene.settings(clients: clients))
        let reading = TokenRequest.unscoped {
            $0.client = "reader"
            $0.policy = "b2c_1_reading"
        }
        let resolved = try await scene.authority.resolve(reading)
        #expect(resolved.scopes.isEmpty && resolved.audience == "tasks-audience")
        for (client, policy) in [("reader", "b2c_1_empty"), ("writer", "b2c_1_reading"), ("foreign", "b2c_1_sign_in")] {
            let problem = try await refusal(scene) {
                $0.client = client
                $0.policy = policy
            }
            #expect(problem == .notPermitted, "\(client) at \(policy)")
        }
    }

    private func refusal(
        _ scene: Scene,
        _ change: (inout TokenRequest) -> Void
    ) async throws -> Refusal.ScopeProblem? {
        let request = TokenRequest.unscoped(change: change)
        return await #expect(throws: Refusal.self) { try await scene.authority.resolve(request) }?.scopeProblem
    }

    @Test("without scopes, a resource selects the API, even if it has no default scopes") func unscopedResource()
        async throws
    {
        let scene = try await Scene(settings: Scene.settings(defaultScopes: ["tasks.read"]))
        let notes = try await scene.authority.resolve(.unscoped { $0.resource = "notes" })
        #expect(notes.audience == "notes" && notes.scopes.isEmpty)
    }

    @Test("a resource selects the API of an ambiguous scope") func resource() async throws {
        let scene = try await Scene()
        let request = TokenRequest("shared") { $0.resource = "notes" }
        #expect(try await scene.authority.resolve(request).audience == "notes")
    }

    @Test("a policy name is case-insensitive") func policyCase() async throws {
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
        Refused(
            why: "no scope, and none of the client's APIs has default scopes",
            reason: .scopeDenied,
            request: .unscoped()
        ),
        Refused(
            why: "no scope, and the resource of an unknown API",
            reason: .scopeDenied,
            request: .unscoped { $0.resource = "cars" }
        ),
        Refused(
            why: "no scope, and the resource of an API that the client may not use",
            reason: .scopeDenied,
            request: .unscoped {
                $0.client = "reader"
                $0.resource = "notes"
            }
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
            why: "an unknown additional scope",
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
            why: "an invalid policy name",
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

    @Test("a scope that can never be granted is rejected by name", arguments: refused)
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
        "a refusal says what to change, in the user's language",
        arguments: [
            (
                TokenRequest("shared"), "Several APIs have this scope. Specify one of notes/shared, tasks/shared.",
                "Mehrere APIs haben diese Berechtigung. Nennen Sie eine von notes/shared, tasks/shared."
            ),
            (
                TokenRequest("tasks.fly"),
                "There is no scope named tasks.fly. List the scopes with `tokenbroker scopes`.",
                "Eine Berechtigung tasks.fly gibt es nicht. `tokenbroker scopes` zeigt alle Berechtigungen."
            ),
            (
                TokenRequest("\u{7}"),
                "The requested scope does not exist.",
                "Die angeforderte Berechtigung gibt es nicht."
            ),
            (
                TokenRequest("tasks.write") { $0.client = "reader" },
                "The client reader is not allowed to request tasks/tasks.write.",
                "Die Anwendung reader darf tasks/tasks.write nicht anfordern."
            ),
            (
                TokenRequest("tasks.read") { $0.policy = "b2c_1_empty" },
                "The policy b2c_1_empty does not grant tasks/tasks.read. Use another policy or another scope.",
                "Die Richtlinie b2c_1_empty erteilt tasks/tasks.read nicht. Verwenden Sie eine andere Richtlinie oder eine andere Berechtigung."
            ),
            (
                TokenRequest("tasks.read") { $0.acrValues = ["9", "8"] },
                "The policy b2c_1_sign_up_or_in satisfies none of the authentication contexts 9, 8. Use another policy.",
                "Die Richtlinie b2c_1_sign_up_or_in erfüllt keinen der Anmeldekontexte 9, 8. Verwenden Sie eine andere Richtlinie."
            ),
            (
                TokenRequest("tasks.read") { $0.policy = "../etc" },
                """
                This is not a valid policy name. A policy name is b2c_1_ followed by letters, digits or underscores, \
                at most 64 characters in total.
                """,
                """
                Das ist kein gültiger Name einer Richtlinie. Der Name einer Richtlinie besteht aus b2c_1_ und Buchstaben, \
                Ziffern oder Unterstrichen, insgesamt höchstens 64 Zeichen.
                """
            ),
            (
                TokenRequest("tasks.read") { $0.client = "nobody" },
                "There is no client named nobody.",
                "Eine Anwendung nobody gibt es nicht."
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

    @Test("an unavailable policy is rejected with the name of what it lacks") func unavailable() async throws {
        let scene = try await Scene()
        let request = TokenRequest("tasks.read") { $0.policy = "b2c_1_facebook" }
        let refusal = await #expect(throws: Refusal.self) { try await scene.authority.resolve(request) }
        #expect(refusal?.reason == .unknownPolicy)
        #expect(refusal?.message == "configure facebook" && refusal?.facts[.missing] == "configure facebook")
    }

    @Test("a context that the sign-in does not satisfy adds the check that does") func context() async throws {
        let scene = try await Scene()
        let request = TokenRequest("tasks.read") { $0.acrValues = ["2"] }
        #expect(try await scene.authority.resolve(request).checks == ["EmailCode"])
        let essential = TokenRequest("tasks.read") {
            $0.claims = ["id_token": ["acr": ["essential": true, "values": ["2"]]]]
        }
        #expect(try await scene.authority.resolve(essential).acrValues == ["2"])
    }

    @Test("a scope's checks are required, and those of the sign-in are not listed twice") func checks() async throws {
        let scene = try await Scene()
        #expect(try await scene.authority.resolve(TokenRequest("accessRestricted")).checks == ["EmailCode"])
        #expect(try await scene.authority.resolve(TokenRequest("tasks.read")).checks == [])
    }
}
