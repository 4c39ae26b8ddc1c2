import Foundation
import Moments
import OAuth
import Testing
import Tokens

@testable import OpenIDClient

/// Tests how ID tokens of Microsoft's tenants are checked.
///
/// The tenants share their keys, and their users can enter any e-mail address.
@Suite(.timeLimit(.minutes(1)))
struct EntraTests {
    private static let tenant = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
    private static let other = "9188040d-6c67-4c5b-b112-36a304b66dad"

    private func registration(trustsEmail: Bool = false) -> ProviderRegistration {
        ProviderRegistration(
            name: "entra",
            issuer: "https://login.microsoftonline.com/\(Self.tenant)/v2.0",
            clientID: "ours",
            redirectURI: "http://localhost:8420/local/oauth2/authresp",
            claims: ProviderRegistration.Claims(
                subject: "sub",
                attributes: StandardClaims.byAttribute,
                trustsEmail: trustsEmail
            )
        )
    }

    /// Returns the reason why an ID token with this `tid` is rejected, or `nil` if the token is accepted.
    private func fault(tid: JSONValue?) throws -> String? {
        let (key, now) = (try SigningKey.generate(.es256), MomentClock.system.now)
        let registration = registration()
        var claims: [String: JSONValue] = [
            "iss": .string(registration.issuer), "aud": "ours", "sub": "p-1", "iat": .int(now.seconds),
            "exp": .int(now.seconds + 300),
        ]
        claims["tid"] = tid
        let token = try TokenMinter.mint(typ: .jwt, claims: claims, with: key).reveal()
        do throws(ProviderError) {
            _ = try IDTokenChecks.verify(
                try unverified(token),
                key: key.publicKey,
                registration,
                issuer: registration.issuer,
                nonce: .any,
                fresh: nil,
                beside: .nothing,
                now: now
            )
            return nil
        } catch {
            #expect(error.code == .protocolViolation)
            return error.detail
        }
    }

    private func unverified(_ token: String) throws(ProviderError) -> UnverifiedJWT {
        do { return try UnverifiedJWT(token) } catch { throw ProviderError(.protocolViolation, "\(error)") }
    }

    @Test("an ID token of another tenant is rejected, although its keys are the same") func anotherTenant() throws {
        #expect(try fault(tid: .string(Self.other))?.hasSuffix("tid is another tenant") == true)
        // A `tid` with only a part of the tenant's id must be rejected as well.
        #expect(try fault(tid: .string(String(Self.tenant.dropLast())))?.hasSuffix("tid is another tenant") == true)
    }

    @Test("an ID token of the tenant, or without a tenant, is accepted") func tenant() throws {
        #expect(try fault(tid: .string(Self.tenant)) == nil)
        #expect(try fault(tid: nil) == nil)
    }

    @Test("an e-mail address from a provider that is not trusted for addresses is ignored, verified or not")
    func email() throws {
        let claims: [String: JSONValue] = [
            "sub": "p-1", "name": "Ada", "email": "ada@example.com", "email_verified": true,
        ]
        let doubted = try PersonClaims(claims: claims, registration: registration()).identity()
        #expect(doubted.attributes == ["displayName": "Ada"])
        let trusted = try PersonClaims(claims: claims, registration: registration(trustsEmail: true)).identity()
        #expect(trusted.attributes == ["displayName": "Ada", "email": "ada@example.com"])
    }
}
