import Crypto
import FlowModel
import Foundation
import OAuth
import Policies
import Synchronization
import TestSupport
import Testing

@testable import Authority

@Suite("Grants that sign a user in with an assertion or a token", .timeLimit(.minutes(1)), .indexedStatements)
struct AssertedSignInTests {
    private static let secret = "a secret of the service, 32 bytes"
    private static let policy = "b2c_1_sign_up_or_in"

    private static func scene() async throws -> Scene {
        let client = OAuthClient(
            ClientSummary(client: "service", name: "Service", type: .confidential, configured: true),
            apis: ["tasks"],
            grants: [.jwtBearer, .tokenExchange],
            secretHash: Secret(bytes: SHA256.hash(data: Data(secret.utf8)))
        )
        let policy = Policy(
            id: Scene.id(policy),
            kind: .signUpOrSignIn,
            identityProviders: ["partner"],
            signInChecks: ["Badge"],
            scopes: ["tasks.read": [], "tasks.write": []]
        )
        let badge = Check(name: "Badge", type: .assertion)
        return try await Scene(
            catalogue: PolicyCatalogue(policies: [policy], checks: [badge]),
            settings: Scene.settings(clients: [client])
        )
    }

    @Test(
        "RFC 6749 §3.3: without scope, a request for a user gets all scopes of the API that need no check",
        arguments: [GrantType.jwtBearer, .tokenExchange]
    )
    func omittedScope(_ grant: GrantType) async throws {
        let scene = try await Self.scene()
        let form = [
            "grant_type": grant.wireName, "client_id": "service", "client_secret": Self.secret, "assertion": "made-up",
            "subject_token": "made-up", "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
        ]
        let request = ProgramRequest(
            policy: Self.policy,
            form: Form(form),
            origin: .address("192.0.2.1"),
            correlationID: .random()
        )
        let found = Mutex<[String]?>(nil)
        let programs = scene.authority.programs { signIn in
            found.withLock { $0 = signIn.request.grantedScopes }
            return nil
        }
        // The made-up assertion signs no user in.
        await #expect(throws: OAuthError.self) { try await programs.token(request) }
        #expect(found.withLock { $0 } == ["tasks/tasks.read", "tasks/tasks.write"])
    }
}
