import HTTPServer
import LocalIssuer
import OAuth
import OpenIDClient

@testable import Broker

extension Daemon {
    /// Runs `test` with a local provider, and with a daemon that uses the provider as the authority `contoso`.
    ///
    /// The provider's tokens expire after an hour.
    static func withContoso(
        grant: OutsideAuthority.Grant = .authorizationCode,
        _ test: (LocalProvider, Daemon) async throws -> Void
    ) async throws {
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let provider = try LocalProvider(issuer: "http://\(socket.address)")
        provider.live(3_600)
        let registration = ProviderRegistration(
            name: "contoso",
            issuer: provider.issuer,
            clientID: provider.clientID,
            redirectURI: "http://localhost:8420/local/oauth2/authresp",
            secret: Secret(provider.secret)
        )
        let authority = OutsideAuthority(registration: registration, grant: grant)
        try await provider.serve(socket) {
            let daemon = try await Daemon(authorities: ["contoso": authority])
            do { try await test(provider, daemon) } catch {
                provider.hold(false)
                try await daemon.broker.external.openID.shutdown()
                throw error
            }
            try await daemon.broker.external.openID.shutdown()
        }
    }
}
