import Authority
import OAuth
import Testing

/// Tests of token exchange (RFC 8693) without an identity provider.
///
/// The end-to-end tests cover the checks of an identity provider's tokens.
@Suite(.timeLimit(.minutes(1)))
struct ExchangeTests {
    private static let idToken = "urn:ietf:params:oauth:token-type:id_token"

    private func exchange(
        _ site: Site,
        _ changes: [String: String?] = [:],
        policy: String = Site.federated
    ) async throws -> Site.Answer {
        var parameters: [String: String] = [
            "grant_type": GrantType.tokenExchange.wireName, "subject_token": "made-up",
            "subject_token_type": Self.idToken, "scope": "tasks.read",
        ]
        for (name, value) in changes { parameters[name] = value }
        return try await site.post(.token, parameters, basic: ("web", Site.secret), policy: policy)
    }

    @Test("RFC 8693 §2.1: the subject token and its type are required, with a known type and issuer")
    func subject() async throws {
        let site = try await Site()
        let refused: [[String: String?]] = [
            ["subject_token": nil], ["subject_token_type": nil], ["subject_token_type": "urn:x"],
            ["subject_issuer": "nobody"], ["subject_token": String(repeating: "x", count: 16_385)],
        ]
        for changes in refused {
            let answer = try await exchange(site, changes)
            #expect(answer.status == 400 && answer.error == "invalid_request", "\(changes): \(answer.text)")
        }
        let elsewhere = try await exchange(site, policy: Site.policy)
        #expect(elsewhere.status == 400 && elsewhere.error == "unsupported_grant_type", "\(elsewhere.text)")
    }

    @Test(
        "RFC 8693 §2.1: an unsupported parameter that would change the token is rejected by name",
        arguments: [
            ("actor_token", "x"), ("actor_token_type", "urn:ietf:params:oauth:token-type:jwt"), ("audience", "tasks"),
            ("requested_token_type", "urn:ietf:params:oauth:token-type:refresh_token"),
        ]
    )
    func notOffered(_ name: String, _ value: String) async throws {
        let answer = try await exchange(try await Site(), [name: value])
        #expect(answer.status == 400 && answer.error == "invalid_request", "\(answer.text)")
        #expect(answer.description.contains(name), "\(answer.text)")
    }

    @Test("RFC 8693 §2.1: a client without the grant or without authentication cannot exchange tokens") func clients()
        async throws
    {
        let site = try await Site()
        let form = [
            "grant_type": GrantType.tokenExchange.wireName, "subject_token": "made-up",
            "subject_token_type": Self.idToken,
        ]
        let nobody = try await site.post(.token, form, basic: ("web", "wrong"), policy: Site.federated)
        #expect(nobody.status == 401 && nobody.error == "invalid_client", "\(nobody.text)")
        let native = form.merging(["client_id": "native"]) { $1 }
        let refused = try await site.post(.token, native, policy: Site.federated)
        #expect(refused.status == 400 && refused.error == "unauthorized_client", "\(refused.text)")
    }
}
