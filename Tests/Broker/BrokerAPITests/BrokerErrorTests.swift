import BrokerAPI
import FlowModel
import Localization
import OAuth
import Testing

@Suite(.timeLimit(.minutes(2)))
struct BrokerErrorTests {
    @Test(
        "every reason has its code and its name from the contract",
        arguments: [
            (.interactionRequired, 1001, "interaction_required"), (.flowNotFound, 1002, "flow_not_found"),
            (.flowFinished, 1003, "flow_finished"), (.staleStep, 1004, "stale_step"),
            (.submissionInProgress, 1005, "submission_in_progress"), (.invalidAnswer, 1006, "invalid_answer"),
            (.blocked, 1007, "blocked"),
            (.unmetAuthenticationRequirements, 1008, "unmet_authentication_requirements"),
            (.unsupportedStep, 1009, "unsupported_step"), (.unknownPolicy, 1010, "unknown_policy"),
            (.unknownCheck, 1011, "unknown_check"), (.scopeDenied, 1012, "scope_denied"),
            (.limitExceeded, 1013, "limit_exceeded"), (.providerUnavailable, 1014, "provider_unavailable"),
            (.providerProtocol, 1015, "provider_protocol"), (.expiredStep, 1016, "expired_step"),
            (.shuttingDown, 1017, "shutting_down"), (.notPermitted, 1018, "not_permitted"),
            (.accountAmbiguous, 1019, "account_ambiguous"), (.wrongUser, 1020, "wrong_user"),
            (.locked, 1021, "locked"), (.unknownClient, 1022, "unknown_client"),
            (.accountNotFound, 1023, "account_not_found"), (.storageFailed, 1024, "storage_failed"),
        ] as [(Refusal.Reason, Int, String)]
    )
    func codes(_ reason: Refusal.Reason, _ code: Int, _ word: String) {
        #expect(reason.code == code)
        #expect(reason.word == word)
        #expect(Refusal.Reason(word: word) == reason)
    }

    @Test("no two reasons share a code, and an unknown reason of a newer broker is accepted") func distinct() {
        #expect(Refusal.Reason.allCases.map(\.code) == Array(1001...1024))
        #expect(Refusal.Reason(word: "made_up") == nil)
    }

    @Test(
        "every fact is a member of the error's data, and the revision of a flow is a number",
        arguments: [
            (.state, "state", "7"), (.revision, "rev", 7), (.limit, "limit", "7"), (.check, "check", "7"),
            (.missing, "missing", "7"), (.resource, "resource", "7"),
        ] as [(Refusal.Fact, String, JSONValue)]
    )
    func facts(_ fact: Refusal.Fact, _ member: String, _ value: JSONValue) {
        let error = JSONRPCError(Refusal(.blocked, Text(exactly: "no")).with(fact, "7"), correlationID: CorrelationID())
        #expect(error.data?[member] == value)
    }

    @Test("a refusal reaches the client with what helps, and without what is for the log") func refusal() throws {
        var refusal = Refusal(.accountAmbiguous, Text(exactly: "Which account?"))
            .retrying(afterMs: 48_211).with(.check, "UserLogin").because("two rows")
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

    @Test("a catalog sentence reaches the client in English, and by its key in every language")
    func text() throws {
        let text = Text("refusal.storeBusy", ["store": Text("refusal.store.cache")])
        let sent = JSONRPCError(Refusal(.limitExceeded, text).retrying(afterMs: 5), correlationID: CorrelationID())
        #expect(sent.message == "The service is temporarily busy: the token cache is in use. Try again shortly.")
        #expect(sent.data?["key"] == "refusal.storeBusy")
        #expect(sent.data?["parameters"] == ["store": ["key": "refusal.store.cache"]])
        let error = BrokerError(try #require(JSONRPCError(try StrictJSON.parse(sent.jsonValue.bytes))))
        #expect(error.text == text && error.message == sent.message && error.retryAfterMs == 5)
        #expect(
            error.text.words(in: .german)
                == "Der Dienst ist vorübergehend ausgelastet: der Token-Zwischenspeicher wird gerade benutzt. Versuchen Sie es gleich noch einmal."
        )
    }

    @Test("text that is in no catalog is sent without a key") func noKey() {
        let sent = JSONRPCError(Refusal(.blocked, Text(exactly: "Wait.")), correlationID: CorrelationID())
        #expect(sent.data?["key"] == nil && sent.data?["parameters"] == nil)
        #expect(BrokerError(sent).text == Text(exactly: "Wait."))
        #expect(JSONRPCError.invalidParams(Text(exactly: "No.")).data == nil)
    }

    @Test(
        "the message is shown if the catalogs lack the sentence or a value, or if a member is malformed",
        arguments: [
            ["key": "refusal.ofNewerVersion"], ["key": "refusal.noSuchClient"], ["key": 7], ["parameters": [:]], [:],
            ["key": "refusal.noSuchClient", "parameters": ["client": 1.5]],
            ["key": "refusal.noSuchClient", "parameters": ["client": ["key": "refusal.ofNewerVersion"]]],
            ["key": "refusal.noSuchAccount", "parameters": "none"],
        ] as [[String: JSONValue]]
    )
    func message(_ data: [String: JSONValue]) {
        let error = BrokerError(JSONRPCError(code: 1013, message: "Wait.", data: .object(data)))
        #expect(error.text == Text(exactly: "Wait."))
        #expect(error.text.words(in: .german) == "Wait.")
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
