import Authority
import AuthorityStore
import FlowModel
import Foundation
import HTTPTypes
import Moments
import OAuth
import TestSupport
import Testing
import Tokens

@Suite(.timeLimit(.minutes(2)))
struct RFC6749ClientAuthenticationTests {
    private let grant = ["grant_type": "client_credentials", "scope": "tasks.read"]

    @Test("RFC 6749 §2.3.1: a secret is accepted in the Authorization field and in the body") func both() async throws {
        let site = try await Site()
        #expect(try await site.post(.token, grant, basic: ("web", Site.secret)).status == 200)
        let body = grant.merging(["client_id": "web", "client_secret": Site.secret]) { $1 }
        #expect(try await site.post(.token, body).status == 200)
    }

    @Test("RFC 6749 §2.3.1: id and secret in the field are form-encoded") func encoded() async throws {
        let site = try await Site()
        #expect(try await site.post(.token, grant, basic: ("%77eb", Site.secret)).status == 200)
        #expect(try await site.post(.token, grant, basic: ("%zz", Site.secret)).error == "invalid_request")
        #expect(try await site.post(.token, grant, basic: ("web", "%zz")).error == "invalid_client")
    }

    @Test(
        "RFC 6749 §2.3.1: a secret with + or % is also accepted if it is not encoded, as a single attempt",
        arguments: ["a+b/c==", "100%", "%41+ %2B"]
    )
    func notEncoded(_ secret: String) async throws {
        let site = try await Site(clients: [Site.client("plus", secret: secret)])
        let encoded = String(Form.encoded([(name: "s", value: secret)]).dropFirst(2))
        for sent in [secret, encoded] {
            #expect(try await site.post(.token, grant, basic: ("plus", sent)).status == 200, "\(sent)")
        }
        for _ in 0..<30 { #expect(try await site.post(.token, grant, basic: ("plus", "x+%41")).status == 401) }
        #expect(try await site.post(.token, grant, basic: ("plus", "x+%41")).status == 429)
        #expect(try await site.post(.token, grant, basic: ("plus", secret)).status == 200)
    }

    @Test("RFC 6749 §2.3: a request with two client authentication methods is rejected") func twoWays() async throws {
        let site = try await Site()
        let body = grant.merging(["client_id": "web", "client_secret": Site.secret]) { $1 }
        let answer = try await site.post(.token, body, basic: ("web", Site.secret))
        #expect(answer.status == 400)
        #expect(answer.error == "invalid_request")
    }

    @Test(
        "RFC 6749 §5.2: failed client authentication is 401 invalid_client with a challenge",
        arguments: [
            ("web", "wrong"), ("web", ""), ("nobody", Site.secret), ("app", Site.secret), ("post", Site.secret),
        ]
    )
    func failed(_ id: String, _ secret: String) async throws {
        let site = try await Site()
        let answer = try await site.post(.token, grant, basic: (id, secret))
        #expect(answer.status == 401)
        #expect(answer.error == "invalid_client")
        #expect(answer.headers[.wwwAuthenticate] == "Basic realm=\"\(Site.issuer)\"")
        #expect(!answer.description.contains(Site.secret))
    }

    @Test(
        "RFC 6749 §3.2.1: a confidential client must authenticate, and a client must be named",
        arguments: [["client_id": "web"], ["client_id": "signed"], [:]]
    )
    func unproven(_ client: [String: String]) async throws {
        let answer = try await Site().post(.token, grant.merging(client) { $1 })
        #expect(answer.status == 401)
        #expect(answer.error == "invalid_client")
    }

    @Test(
        "RFC 6749 §2.3.1: after 30 failures of an origin, wrong credentials wait ten minutes and correct ones work"
    )
    func limited() async throws {
        let site = try await Site()
        for _ in 0..<30 { #expect(try await site.post(.token, grant, basic: ("web", "wrong")).status == 401) }
        let closed = try await site.post(.token, grant, basic: ("web", "wrong"))
        #expect(closed.status == 429)
        #expect(closed.error == "temporarily_unavailable")
        #expect(closed.description.hasPrefix("AADB2C90244: "))
        #expect(closed.headers[.retryAfter] == "600")
        #expect(try await site.post(.token, grant, basic: ("web", Site.secret)).status == 200)
        site.time.advance(by: .seconds(600))
        #expect(try await site.post(.token, grant, basic: ("web", "wrong")).status == 401)
    }

    @Test("RFC 6749 §5.2: a client may use only the grants that it is registered for") func grants() async throws {
        let site = try await Site()
        let answer = try await site.post(
            .token,
            ["grant_type": "refresh_token", "client_id": "narrow", "refresh_token": "x"]
        )
        #expect(answer.status == 400)
        #expect(answer.error == "unauthorized_client")
    }

    @Test(
        "RFC 6749 §2.3.1: failures of one origin delay its own wrong credentials for all clients, and no other origin"
    )
    func places() async throws {
        let site = try await Site()
        func isPutOff(_ address: String, client: String = "web") async throws -> Bool {
            let form = grant.merging(["client_id": client, "client_secret": "wrong"]) { $1 }
            let request = ProgramRequest(
                policy: Site.policy,
                form: Form(form),
                origin: .address(address),
                correlationID: .random()
            )
            do {
                _ = try await site.authority.programs.token(request)
                return false
            } catch let refusal as Refusal {
                return refusal.reason == .limitExceeded
            } catch let error as OAuthError {
                #expect(error.code == .invalidClient)
                return false
            }
        }
        for _ in 0..<30 { #expect(try await !isPutOff("192.0.2.1")) }
        #expect(try await isPutOff("192.0.2.1"))
        #expect(try await isPutOff("192.0.2.1", client: "post"))
        #expect(try await !isPutOff("192.0.2.2"))
    }
}
