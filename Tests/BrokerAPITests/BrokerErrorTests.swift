import BrokerAPI
import FlowModel
import JSONRPC
import OAuth
import Testing

struct BrokerErrorTests {
    @Test("the codes and words are those of the contract") func codes() {
        let words = [
            "interaction_required", "flow_not_found", "flow_finished", "stale_step", "submission_in_progress",
            "invalid_answer", "blocked", "unmet_authentication_requirements", "unsupported_step", "unknown_policy",
            "unknown_check", "scope_denied", "limit_exceeded", "provider_unavailable", "provider_protocol",
            "expired_step", "shutting_down", "not_permitted", "account_ambiguous", "wrong_user", "locked",
            "unknown_client", "account_not_found", "storage_failed",
        ]
        #expect(Refusal.Reason.allCases.map(\.rawValue) == words)
        #expect(Refusal.Reason.allCases.map(\.code) == Array(1001...1024))
    }

    @Test("a refusal reaches the client with what helps, and without what is for the log") func refusal() throws {
        var refusal = Refusal(.accountAmbiguous, "Which account?")
            .retrying(afterMs: 48_211).with("check", "UserLogin").because("two rows")
        refusal.nodes = [NodeProblem(name: "password", code: .tooShort, text: "At least 8 characters.")]
        refusal.candidates = [.init(account: "a1", username: "jo@example.org")]
        let id = CorrelationID()
        let sent = JSONRPCError(refusal, correlationID: id)
        let parsed = try StrictJSON.parse(sent.jsonValue.bytes)
        let error = BrokerError(try #require(JSONRPCError(parsed)))
        #expect(error.code == 1019)
        #expect(error.refusal == .accountAmbiguous)
        #expect(error.correlationID == id.description)
        #expect(error.retryAfterMs == 48_211)
        #expect(error.nodes == refusal.nodes)
        #expect(error.candidates == refusal.candidates)
        #expect(error.data["check"] == "UserLogin")
        #expect(!sent.jsonValue.text.contains("two rows"))
    }

    @Test(
        "errors of JSON-RPC itself have a reason, too",
        arguments: [
            (-32_700, "parse_error"), (-32_600, "invalid_request"), (-32_601, "method_not_found"),
            (-32_602, "invalid_params"), (-32_603, "internal_error"),
        ]
    )
    func standard(code: Int, reason: String) {
        let id = CorrelationID()
        let error = JSONRPCError(code: code, message: "m").correlated(id)
        #expect(error.data?["reason"]?.string == reason)
        #expect(error.data?["correlationId"]?.string == id.description)
        #expect(BrokerError(JSONRPCError(code: code, message: "m")).reason == reason)
    }
}
