import FlowModel
import Foundation
import LocalIssuer
import OAuth
import Testing

@testable import OpenIDClient

/// Tests ID tokens in the responses to renewals (OpenID Connect Core §12.2).
@Suite(.timeLimit(.minutes(2)))
struct RenewedIDTokenTests {
    private static let asked = OutsideDemand(scopes: ["files.read"])

    /// Signs a user in, renews the tokens, and returns the error if the renewal is rejected.
    ///
    /// `claims` receives the nonce of the sign-in, and returns additional claims for the renewed ID token.
    private func renewed(
        knowing isKnown: Bool = true,
        _ claims: (String) -> [String: JSONValue]
    ) async throws
        -> ProviderError?
    {
        let request = ProviderRequest(
            state: String(repeating: "s", count: 22),
            nonce: String(repeating: "n", count: 22),
            verifier: Secret(String(repeating: "v", count: 43))
        )
        var failure: ProviderError?
        try await withProvider { provider, registration, client in
            let sent = try provider.answer(
                to: try await client.address(at: registration, request, for: Self.asked)
            )
            let answer = ProviderAnswer(code: sent["code"].map { Secret($0) }, issuer: sent["iss"], error: nil)
            let first = try await client.tokens(at: registration, request, answer, for: Self.asked)
            let before = try #require(first.claims)
            #expect(before["nonce"]?.string == request.nonce)
            provider.renewIDTokens(with: claims(request.nonce))
            let token = try #require(first.refreshToken)
            do throws(ProviderError) {
                let next = try await client.renewed(
                    at: registration,
                    token,
                    for: Self.asked,
                    after: isKnown ? before : [:]
                )
                #expect(next.claims?["sub"] == before["sub"])
            } catch {
                #expect(error.code == .protocolViolation)
                failure = error
            }
        }
        return failure
    }

    @Test("an ID token without a nonce, or with the nonce of the sign-in, is accepted") func good() async throws {
        #expect(try await renewed { _ in [:] } == nil)
        #expect(try await renewed { ["nonce": .string($0)] } == nil)
        #expect(try await renewed(knowing: false) { _ in ["nonce": "theirs"] } == nil)
    }

    @Test("a nonce other than that of the sign-in is rejected", arguments: ["another", 1, .null] as [JSONValue])
    func nonce(_ nonce: JSONValue) async throws {
        let failure = try await renewed { _ in ["nonce": nonce] }
        #expect(failure?.detail.hasSuffix("nonce has changed") == true, "\(failure?.detail ?? "renewed")")
    }

    @Test("an ID token that was issued long ago, or in the future, is rejected", arguments: [-3600, -700, 700, 86_400])
    func issued(_ seconds: Int64) async throws {
        let now = Int64(Date().timeIntervalSince1970)
        let failure = try await renewed { _ in
            ["iat": .int(now + seconds), "exp": .int(now + 90_000)]
        }
        #expect(failure?.detail.hasSuffix("iat is too far from the current time") == true, "\(failure?.detail ?? "")")
        let said = failure?.said?.english ?? ""
        #expect(said.hasPrefix("The clock of this machine differs from the clock of "), "\(said)")
    }

    @Test("a clock difference of a few minutes is accepted", arguments: [-500, 500])
    func differs(_ seconds: Int64) async throws {
        let now = Int64(Date().timeIntervalSince1970)
        #expect(try await renewed { _ in ["iat": .int(now + seconds)] } == nil)
    }
}
