import Authority
import AuthorityStore
import Crypto
import FlowModel
import Foundation
import HTTPTypes
import Moments
import OAuth
import TestSupport
import Testing
import Tokens

@Suite(.timeLimit(.minutes(2)))
struct RFC7662IntrospectionTests {
    @Test("RFC 7662 §2.2: an active token is described") func active() async throws {
        let site = try await Site()
        let token = try #require(try await site.tokens()["access_token"]?.string)
        let answer = try await site.post(.introspection, ["token": token], basic: ("web", Site.secret))
        #expect(answer.status == 200)
        #expect(answer["active"] == true)
        #expect(answer["client_id"] == "app")
        #expect(answer["sub"]?.string == Site.user.oid)
        #expect(answer["username"] == "ada@example.org")
        #expect(answer["scope"] == "tasks.read")
        #expect(answer["aud"] == "tasks-audience")
        #expect(answer["iss"]?.string == Site.issuer)
        #expect(answer["token_type"] == "Bearer")
        #expect(answer["exp"]?.int == site.time.now.seconds + 3600)
    }

    @Test("RFC 7662 §2.1: a client without authentication gets no information") func proof() async throws {
        let site = try await Site()
        let token = try #require(try await site.tokens()["access_token"]?.string)
        for parameters in [["token": token], ["token": token, "client_id": "app"]] {
            let answer = try await site.post(.introspection, parameters)
            #expect(answer.status == 401)
            #expect(answer.error == "invalid_client")
        }
    }

    @Test("RFC 7662 §4: a client of another API gets no information about a token") func stranger() async throws {
        let site = try await Site()
        let token = try #require(try await site.tokens()["access_token"]?.string)
        let answer = try await site.post(.introspection, ["token": token], basic: ("stranger", Site.secret))
        #expect(answer.json == ["active": false])
    }

    @Test("RFC 7662 §2.2: a refresh token is described to its own client while it is the newest") func refreshToken()
        async throws
    {
        let site = try await Site()
        let code = try await site.code(client: "web")
        let parameters = [
            "grant_type": "authorization_code", "code": code, "redirect_uri": Site.redirectURI,
            "code_verifier": Site.verifier,
        ]
        let tokens = try await site.post(.token, parameters, basic: ("web", Site.secret))
        let token = try #require(tokens["refresh_token"]?.string)
        let seen = try await site.post(.introspection, ["token": token], basic: ("web", Site.secret))
        #expect(seen["active"] == true)
        #expect(seen["client_id"] == "web")
        let other = try await site.post(.introspection, ["token": token], basic: ("stranger", Site.secret))
        #expect(other.json == ["active": false])
        let refresh = ["grant_type": "refresh_token", "refresh_token": token]
        #expect(try await site.post(.token, refresh, basic: ("web", Site.secret)).status == 200)
        let old = try await site.post(.introspection, ["token": token], basic: ("web", Site.secret))
        #expect(old.json == ["active": false])
    }

    @Test(
        "RFC 7662 §2.2: a token that is expired, of another policy, of a disabled user or made up is not active",
        arguments: ["ended", "policy", "disabled", "altered"]
    )
    func inactive(_ reason: String) async throws {
        let site = try await Site()
        var token = try #require(try await site.tokens()["access_token"]?.string)
        var policy = Site.policy
        switch reason {
        case "ended": site.time.advance(by: .seconds(3600))
        case "policy": policy = "b2c_1_other"
        case "disabled": try await site.store.users.setEnabled(Site.user, false)
        default: token = String(token.dropLast(4)) + "AAAA"
        }
        let answer = try await site.post(.introspection, ["token": token], basic: ("web", Site.secret), policy: policy)
        #expect(answer.json == ["active": false])
    }

    @Test("RFC 7662 §2.2: a token of a removed client is not active") func clientGone() async throws {
        let site = try await Site()
        let client = ClientRow(
            ClientSummary(client: "brief", name: "brief", type: .confidential),
            secretHash: Secret(bytes: SHA256.hash(data: Data(Site.secret.utf8))),
            createdAt: site.time.now.wall
        )
        try await site.store.clients.add(client)
        site.time.advance(by: .seconds(5))
        let grant = ["grant_type": "client_credentials", "scope": "tasks.read"]
        let issued = try await site.post(.token, grant, basic: ("brief", Site.secret))
        let token = try #require(issued["access_token"]?.string, "\(issued.description)")
        let before = try await site.post(.introspection, ["token": token], basic: ("web", Site.secret))
        #expect(before["active"] == true)
        try await site.store.clients.remove("brief")
        site.time.advance(by: .seconds(5))
        let after = try await site.post(.introspection, ["token": token], basic: ("web", Site.secret))
        #expect(after.json == ["active": false])
    }
}
