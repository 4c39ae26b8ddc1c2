import LocalIssuer
import OAuth
import Testing

@testable import OpenIDClient

/// Tests the error codes of token endpoints.
///
/// An error code has the same meaning for every grant, unless it concerns the grant itself.
@Suite(.timeLimit(.minutes(2)))
struct TokenEndpointWordTests {
    enum Grant: CaseIterable {
        case code, refreshToken, service, exchange, broughtToken, deviceCode
    }

    private func error(_ grant: Grant, refusedBy word: String) async throws -> ProviderError? {
        let request = ProviderRequest.ofTests
        let asked = OutsideDemand(scopes: ["files.read"])
        var error: ProviderError?
        try await withProvider { provider, registration, client in
            provider.answerDevices([.pending])
            let device = try #require(try await client.deviceGrant(at: registration, for: asked))
            let answer = try provider.answer(to: try await client.address(at: registration, request))
            provider.refuse(by: word)
            do {
                switch grant {
                case .code:
                    let given = ProviderAnswer(
                        code: answer["code"].map { Secret($0) },
                        issuer: answer["iss"],
                        error: nil
                    )
                    _ = try await client.identity(at: registration, request, given)
                case .refreshToken:
                    _ = try await client.renewed(at: registration, Secret("refresh"), for: asked)
                case .service: _ = try await client.serviceToken(at: registration, for: asked)
                case .exchange:
                    _ = try await client.exchanged(Secret("ours"), at: registration, of: nil, for: asked)
                case .broughtToken:
                    let brought = BroughtToken.accessToken(Secret("theirs"))
                    _ = try await client.exchanged(at: registration, brought, of: "partner", for: asked)
                case .deviceCode: _ = try await client.answer(to: device, at: registration, for: asked)
                }
            } catch let thrown as ProviderError {
                error = thrown
            }
        }
        return error
    }

    @Test(
        "a server that reports a failure is unavailable, for every grant",
        arguments: Grant.allCases,
        ["server_error", "temporarily_unavailable"]
    )
    func failures(_ grant: Grant, _ word: String) async throws {
        #expect(try await error(grant, refusedBy: word)?.code == .unavailable)
    }

    @Test(
        "an unknown client is a configuration error of the operator, for every grant",
        arguments: Grant.allCases
    )
    func client(_ grant: Grant) async throws {
        #expect(try await error(grant, refusedBy: "invalid_client")?.code == .protocolViolation)
    }
}
