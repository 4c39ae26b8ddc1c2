import HTTPServer
import LocalIssuer
import Moments
import OAuth

@testable import OpenIDClient

/// Runs `test` with a provider of this process, our registration there, and a client.
func withProvider(
    limit: Duration = OpenIDClient.deadline,
    secret: String? = nil,
    authentication: ProviderRegistration.Authentication? = nil,
    mostKept: Int = OpenIDClient.mostKept,
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
    let client = OpenIDClient(clock: .system, limit: limit, mostKept: mostKept)
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
