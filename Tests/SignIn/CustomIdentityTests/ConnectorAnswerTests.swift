import OAuth
import OpenIDClient
import Policies
import Testing

@testable import CustomIdentity

/// Tests how responses from API connectors are parsed.
@Suite(.timeLimit(.minutes(1)))
struct ConnectorAnswerTests {
    private func read(
        _ status: Int,
        _ json: JSONValue,
        at place: Connector.Place = .beforeUserCreated
    ) throws(ProviderError) -> ConnectorAnswer {
        try ConnectorAnswer(status, json, at: place, name: "it")
    }

    @Test("Continue contains claims, a block or an error contains a message, and all texts are plain") func answers()
        throws
    {
        let claims: JSONValue = ["version": "1.0.0", "action": "Continue", "city": "Ox\u{1B}ford", "none": .null]
        #expect(try read(200, claims) == .proceed(["city": "Oxford"]))
        let block: JSONValue = ["action": "ShowBlockPage", "userMessage": "go\u{202E} away"]
        #expect(try read(200, block) == .block("go away"))
        let invalid: JSONValue = ["status": 400, "action": "ValidationError", "userMessage": "no"]
        #expect(try read(400, invalid) == .invalid("no"))
        #expect(try read(409, ["version": "1.0.0", "status": 409, "userMessage": "no"]) == .invalid("no"))
    }

    private static let texts: [(Int, String)] = [
        (200, #"{"city": "x"}"#), (200, #"{"action": "continue"}"#), (200, #"{"action": 1}"#), (200, "[]"),
        (200, #"{"version": "2.0.0", "action": "Continue"}"#), (200, #"{"version": 1, "action": "Continue"}"#),
        (400, #"{"action": "Continue"}"#), (409, #"{"action": "ShowBlockPage", "userMessage": "x"}"#),
        (200, #"{"action": "ShowBlockPage"}"#), (200, #"{"action": "ShowBlockPage", "userMessage": "\u202e"}"#),
        (200, #"{"action": "ValidationError", "status": 400, "userMessage": "x"}"#),
        (400, #"{"action": "ValidationError", "userMessage": "x"}"#),
        (400, #"{"action": "ValidationError", "status": 409, "userMessage": "x"}"#),
        (400, #"{"action": "ValidationError", "status": "400", "userMessage": "x"}"#),
        (400, #"{"action": "ValidationError", "status": 400}"#), (400, #"{"status": 400, "userMessage": "x"}"#),
    ]

    @Test("any other response is a fault of the connector", arguments: texts)
    func faults(_ status: Int, _ text: String) throws {
        let json = try StrictJSON.parse(Array(text.utf8))
        let error = #expect(throws: ProviderError.self) { try read(status, json) }
        #expect(error?.code == .protocolViolation)
    }

    @Test("claims of more than 2 KiB are rejected") func tooMuch() {
        let long = JSONValue.string(String(repeating: "x", count: 400))
        let members: [String: JSONValue] = ["action": "Continue", "a": .array([long, long, long, long, long, long])]
        let error = #expect(throws: ProviderError.self) { try read(200, .object(members)) }
        #expect(error?.code == .protocolViolation)
    }

    @Test("before a token only Continue is a valid response") func beforeToken() throws {
        #expect(try read(200, ["action": "Continue"], at: .beforeToken) == .proceed([:]))
        let block: JSONValue = ["action": "ShowBlockPage", "userMessage": "x"]
        let invalid: JSONValue = ["action": "ValidationError", "status": 400, "userMessage": "x"]
        for (status, answer) in [(200, block), (400, invalid)] {
            let error = #expect(throws: ProviderError.self) { try read(status, answer, at: .beforeToken) }
            #expect(error?.code == .protocolViolation)
            #expect(error?.detail.contains("only Continue is valid") == true, "\(status)")
        }
    }
}
