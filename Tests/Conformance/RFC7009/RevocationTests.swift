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
struct RFC7009RevocationTests {
    @Test("RFC 7009 §2.1: revoking a refresh token revokes all tokens of its family") func family() async throws {
        let site = try await Site()
        let tokens = try await site.tokens()
        let token = try #require(tokens["refresh_token"]?.string)
        let answer = try await site.post(.revocation, ["token": token, "client_id": "app"])
        #expect(answer.status == 200)
        #expect(answer.length == 0)
        #expect(try await site.refresh(token).error == "invalid_grant")
        let access = try #require(tokens["access_token"]?.string)
        let seen = try await site.post(.introspection, ["token": access], basic: ("web", Site.secret), daemon: 1)
        #expect(seen.json == ["active": false])
    }

    @Test("RFC 7009 §2.1: an access token is revoked alone, and so is a client's own", arguments: [true, false])
    func accessToken(_ isOwn: Bool) async throws {
        let site = try await Site()
        let tokens = try await isOwn ? site.clientCredentials() : site.tokens()
        let token = try #require(tokens["access_token"]?.string)
        let introspect = {
            try await site.post(.introspection, ["token": token], basic: ("web", Site.secret), daemon: 1)
        }
        #expect(try await introspect()["active"] == true)
        let answer =
            try await isOwn
            ? site.post(.revocation, ["token": token], basic: ("web", Site.secret))
            : site.post(.revocation, ["token": token, "client_id": "app"])
        #expect(answer.status == 200)
        #expect(try await introspect().json == ["active": false])
        if !isOwn {
            let refresh = try #require(tokens["refresh_token"]?.string)
            #expect(try await site.refresh(refresh).status == 200)
        }
        let events = try await site.daemons[0].store.audit.all(limit: 100).map(\.event)
        #expect(events.filter { $0 == "token.revoked" }.count == 1)
        #expect(!events.contains("family.revoked"))
    }

    @Test("RFC 7009 §2.1: another client's token is rejected, and stays valid") func others() async throws {
        let site = try await Site()
        let token = try #require(try await site.tokens()["refresh_token"]?.string)
        let answer = try await site.post(.revocation, ["token": token, "client_id": "other"])
        #expect(answer.status == 400)
        #expect(answer.error == "invalid_grant")
        #expect(try await site.refresh(token).status == 200)
    }

    @Test("RFC 7009 §2.2: an unknown token or hint gets the same response as a known one") func unknown()
        async throws
    {
        let site = try await Site()
        let answer = try await site.post(
            .revocation,
            ["token": "nothing", "token_type_hint": "pac_man", "client_id": "app"]
        )
        #expect(answer.status == 200)
        #expect(try await site.post(.revocation, ["client_id": "app"]).error == "invalid_request")
        #expect(try await site.post(.revocation, ["token": "x", "client_id": "web"]).error == "invalid_client")
    }
}
