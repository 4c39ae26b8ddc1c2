import Foundation
import Hummingbird
import OAuth
import Tables
import TablesClient
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TokenRetryTests {
    @Test("the same insert is repeated once with a new token after 401") func insert() async throws {
        let tokens = Tokens()
        try await LiveAPI.run { _, count in
            count == 1 ? .json("{}", .unauthorized) : .json("{\"id\":\"a\"}", .created)
        } test: { api, address in
            try await TablesClient.with(address, token: tokens.next) { client in
                _ = try await client.insert("todoitem", ["text": .string("milk")])
            }
            let requests = api.requests
            #expect(requests.map { $0.header("Authorization") } == ["Bearer t1", "Bearer t2"])
            #expect(requests.map(\.body) == [#"{"text":"milk"}"#, #"{"text":"milk"}"#])
            #expect(requests[0].header("Idempotency-Key") == requests[1].header("Idempotency-Key"))
            #expect(requests[0].header("client-request-id") == requests[1].header("client-request-id"))
            #expect(requests[0].header("Idempotency-Key") != nil)
            #expect(tokens.refreshes == [false, true])
        }
    }

    @Test("the same update is repeated once with its condition after 401") func update() async throws {
        try await LiveAPI.run { _, count in
            count == 1 ? .json("{}", .unauthorized) : .json("{\"id\":\"a\"}")
        } test: { api, address in
            let id = try #require(RowID("a"))
            try await TablesClient.with(address, token: Tokens().next) { client in
                try await client.update("todoitem", id, ["text": .string("x")], ifMatch: RowVersion("djE="))
            }
            #expect(api.requests.map { $0.header("If-Match") } == ["\"djE=\"", "\"djE=\""])
            #expect(api.requests.map(\.body) == [#"{"text":"x"}"#, #"{"text":"x"}"#])
        }
    }

    @Test("a second 401 fails") func twice() async throws {
        let challenge = #"Bearer error="invalid_token", error_description="ended", scope="tasks.read""#
        try await LiveAPI.run { _, _ in
            .json(#"{"code":401,"error":"the token has ended"}"#, .unauthorized, ["WWW-Authenticate": challenge])
        } test: { api, address in
            let error = await failure(address) { try await $0.list("todoitem") }
            #expect(error?.code == .unauthorized)
            #expect(error?.message == "the token has ended")
            #expect(error?.challenge?.error == .invalidToken)
            #expect(api.requests.count == 2)
        }
    }

    @Test("no new token is requested if the user needs additional verification") func stepUp() async throws {
        let challenge = #"Bearer error="insufficient_user_authentication", acr_values="2", max_age=60, scope="a""#
        let tokens = Tokens()
        try await LiveAPI.run { _, _ in
            .json("{}", .unauthorized, ["WWW-Authenticate": challenge])
        } test: { api, address in
            let error = await failure(address, token: tokens.next) { try await $0.list("todoitem") }
            #expect(error?.code == .unauthorized && error?.challenge?.acrValues == ["2"])
            #expect(error?.challenge?.maxAge == 60 && error?.challenge?.scopes.map(\.name) == ["a"])
            #expect(api.requests.count == 1 && tokens.refreshes == [false])
        }
    }

    @Test("403 is not retried") func forbidden() async throws {
        let challenge = #"Bearer error="insufficient_scope", scope="tasks.write""#
        try await LiveAPI.run { _, _ in
            .json("{}", .forbidden, ["WWW-Authenticate": challenge])
        } test: { api, address in
            let error = await failure(address) { try await $0.addTask("milk") }
            #expect(error?.code == .forbidden)
            #expect(error?.challenge?.scopes.map(\.description) == ["tasks.write"])
            #expect(api.requests.count == 1)
        }
    }

    @Test("a token that is not valid in a header field is not sent", arguments: ["", "a b", "a\r\nHost: x", "ä"])
    func unusable(_ token: String) async throws {
        try await LiveAPI.run { _, _ in
            .json("[]")
        } test: { api, address in
            let error = await failure(address, token: { _ in Secret(token) }) { try await $0.list("todoitem") }
            #expect(error?.code == .invalidToken)
            #expect(api.requests.isEmpty)
        }
    }

    @Test("an error of the token source reaches the caller unchanged") func sourceFails() async throws {
        struct NoToken: Error {}
        try await LiveAPI.run { _, _ in
            .json("{}", .unauthorized)
        } test: { api, address in
            await #expect(throws: NoToken.self) {
                try await TablesClient.with(address, token: { if $0 { throw NoToken() } else { Secret("t") } }) {
                    _ = try await $0.list("todoitem")
                }
            }
            #expect(api.requests.count == 1)
        }
    }
}
