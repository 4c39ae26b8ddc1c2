import FlowModel
import OAuth
import Testing

/// Tests the request that satisfies an API's challenge.
@Suite(.timeLimit(.minutes(1)))
struct AcquireRequestChallengeTests {
    private func request(_ scopes: [String] = ["tasks.read"]) -> AcquireRequest {
        var request = AcquireRequest(scopes: scopes)
        request.account = "a-1"
        return request
    }

    @Test("RFC 9470 §3: the request keeps its own demands and adds the contexts, age and scopes of the challenge")
    func meeting() throws {
        let demands = #"scope="tasks.read pay", acr_values="2 3", max_age=60"#
        let field = #"Bearer error="insufficient_user_authentication", "# + demands
        let challenge = try #require(WWWAuthenticate(field))
        let better = try #require(request().meeting(challenge))
        #expect(better.scopes == ["tasks.read", "pay"] && better.acrValues == ["2", "3"] && better.maxAge == 60)
        #expect(better.account == "a-1" && !better.forceRefresh)
    }

    @Test("RFC 6750 §3.1: only the missing scope is added") func scope() throws {
        let challenge = try #require(WWWAuthenticate(#"Bearer error="insufficient_scope", scope="pay""#))
        let better = try #require(request([]).meeting(challenge))
        #expect(better.scopes == ["pay"] && better.acrValues.isEmpty && better.maxAge == nil)
    }

    @Test(
        "a challenge without further demands produces no new request",
        arguments: [
            #"Bearer"#, #"Bearer error="invalid_token""#, #"Bearer error="invalid_token", scope="pay""#,
            #"Bearer error="insufficient_scope""#, #"Bearer error="insufficient_scope", scope="tasks.read""#,
        ]
    )
    func nothing(_ field: String) throws {
        let challenge = try #require(WWWAuthenticate(field))
        #expect(request().meeting(challenge) == nil)
    }
}
