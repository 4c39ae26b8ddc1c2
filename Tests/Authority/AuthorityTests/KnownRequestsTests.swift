import Attempts
import Crypto
import FlowModel
import Foundation
import Logging
import OAuth
import Policies
import Synchronization
import TestSupport
import Testing

@testable import Authority

@Suite("Repeated requests of a client", .timeLimit(.minutes(1)), .indexedStatements)
struct KnownRequestsTests {
    private static let secret = "a secret of the service, 32 bytes"

    private static func service(apis: [String] = ["tasks", "notes"]) -> OAuthClient {
        OAuthClient(
            ClientSummary(client: "service", name: "Service", type: .confidential, configured: true),
            apis: apis,
            grants: [.clientCredentials],
            secretHash: Secret(bytes: SHA256.hash(data: Data(secret.utf8)))
        )
    }

    /// The configuration of an authority, which a test can replace as a reload does.
    private final class Reloaded: Sendable {
        let catalogue = Mutex(Scene.catalogue())
        let settings = Mutex(Scene.settings(clients: [KnownRequestsTests.service()]))

        func authority(_ scene: Scene) -> Authority {
            Authority(
                settings: { [self] in settings.withLock { $0 } },
                catalogue: { [self] in catalogue.withLock { $0 } },
                store: scene.store,
                attempts: Attempts(store: scene.store),
                clock: scene.time.clock,
                logger: Logger(label: "test")
            )
        }
    }

    private func scope(_ authority: Authority, _ scope: String = "tasks/.default") async throws -> String? {
        let form = [
            "grant_type": "client_credentials", "client_id": "service", "client_secret": Self.secret, "scope": scope,
        ]
        let request = ProgramRequest(
            policy: "b2c_1_sign_up_or_in",
            form: Form(form),
            origin: .address("192.0.2.1"),
            correlationID: .random()
        )
        return try await authority.programs.token(request).json["scope"]?.string
    }

    private static let all = "tasks/.default tasks/shared tasks/tasks.read tasks/tasks.write"

    @Test("a repeated request gets the same scopes until the policy grants less") func policy() async throws {
        let reloaded = Reloaded()
        let scene = try await Scene()
        let authority = reloaded.authority(scene)
        for _ in 0..<2 { #expect(try await scope(authority) == Self.all) }
        reloaded.catalogue.withLock { catalogue in
            catalogue = PolicyCatalogue(
                policies: [
                    Policy(id: Scene.id("b2c_1_sign_up_or_in"), kind: .signUpOrSignIn, scopes: ["tasks.read": []])
                ],
                checks: Array(catalogue.checks.values)
            )
        }
        for _ in 0..<2 { #expect(try await scope(authority) == "tasks/.default tasks/tasks.read") }
    }

    @Test("a repeated request gets nothing once the client may no longer request the API") func client() async throws {
        let reloaded = Reloaded()
        let scene = try await Scene()
        let authority = reloaded.authority(scene)
        #expect(try await scope(authority) == Self.all)
        reloaded.settings.withLock { $0 = Scene.settings(clients: [Self.service(apis: ["notes"])]) }
        let refusal = await #expect(throws: Refusal.self) { try await scope(authority) }
        #expect(refusal?.reason == .scopeDenied)
    }

    @Test("a repeated request is distinguished by its scopes, and a refusal is not stored") func scopes() async throws {
        let reloaded = Reloaded()
        let scene = try await Scene()
        let authority = reloaded.authority(scene)
        #expect(try await scope(authority) == Self.all)
        #expect(try await scope(authority, "tasks/tasks.read") == "tasks/tasks.read")
        for _ in 0..<2 {
            let refusal = await #expect(throws: Refusal.self) { try await scope(authority, "tasks/none") }
            #expect(refusal?.reason == .scopeDenied)
        }
        #expect(try await scope(authority) == Self.all)
    }
}
