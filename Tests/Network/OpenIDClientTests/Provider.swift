import HTTPServer
import LocalIssuer
import Moments
import OAuth
import Testing

@testable import OpenIDClient

/// Runs `test` with a provider in this process, a registration at that provider, and an OpenID client.
func withProvider(
    deadlines: any Clock<Duration> = ContinuousClock(),
    secret: String? = nil,
    authentication: ClientSecretMethod? = nil,
    mostKept: Int = OpenIDClient.mostKept,
    clock: MomentClock = .system,
    confirmation: (_ issuer: String) -> TokenConfirmation = { _ in .introspection },
    _ test: (LocalProvider, ProviderRegistration, OpenIDClient) async throws -> Void
) async throws {
    let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
    let provider = try LocalProvider(issuer: "http://\(socket.address)")
    let registration = ProviderRegistration(
        name: "partner",
        issuer: provider.issuer,
        clientID: provider.clientID,
        redirectURI: "http://localhost:8420/local/oauth2/authresp",
        secret: Secret(secret ?? provider.secret),
        authentication: authentication,
        confirmation: confirmation(provider.issuer)
    )
    let client = OpenIDClient(clock: clock, deadlines: deadlines, mostKept: mostKept)
    try await provider.serve(socket) {
        do {
            try await test(provider, registration, client)
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }
}

extension ProviderRequest {
    /// The parameters of the sign-in requests that the tests send.
    static let ofTests = ProviderRequest(
        state: "state-of-the-request",
        nonce: "nonce-of-the-request",
        verifier: Secret(String(repeating: "v", count: 43)),
        fresh: FreshProof(maxAge: 300, since: MomentClock.system.now.seconds)
    )
}

/// Signs the user in at the provider as a browser does, and returns the identity that the client obtains.
@discardableResult
func signIn(
    _ client: OpenIDClient,
    _ registration: ProviderRegistration,
    at provider: LocalProvider
) async throws -> ProviderIdentity {
    let request = ProviderRequest.ofTests
    let answer = try provider.answer(to: try await client.address(at: registration, request))
    #expect(answer["state"] == request.state)
    return try await client.identity(
        at: registration,
        request,
        ProviderAnswer(code: answer["code"].map { Secret($0) }, issuer: answer["iss"], error: answer["error"])
    )
}
