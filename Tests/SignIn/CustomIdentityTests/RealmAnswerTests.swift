import FlowModel
import OAuth
import OpenIDClient
import Policies
import Testing

@testable import CustomIdentity

/// Tests the messages that are exchanged with a custom identity provider.
@Suite(.timeLimit(.minutes(1)))
struct RealmAnswerTests {
    @Test("the three statuses are parsed, each with exactly its own members") func statuses() throws {
        let challenge = try RealmAnswer(
            ["status": "challenge", "stateId": "s1", "challenge": ["text": "Who?"], "userIdentity": ["userName": "x"]],
            realm: "corp"
        )
        #expect(challenge == .challenge(RealmChallenge(stateID: "s1", data: ["text": "Who?"])))
        let stateless = try RealmAnswer(["status": "challenge", "stateId": .null], realm: "corp")
        #expect(stateless == .challenge(RealmChallenge(stateID: nil, data: .null)))
        #expect(try RealmAnswer(["status": "failure", "challenge": ["text": "x"]], realm: "corp") == .failure)
        let success = try RealmAnswer(
            ["status": "success", "userIdentity": ["userName": "john", "attributes": ["dob": "1940"]]],
            realm: "corp"
        )
        #expect(
            success
                == .success(
                    ExternalIdentity(realm: "corp", userName: "john", displayName: nil, attributes: ["dob": "1940"])
                )
        )
    }

    @Test(
        "a response outside the protocol is rejected",
        arguments: [
            .array([]), [:], ["status": "Success"], ["status": 1], ["status": "success"],
            ["status": "success", "userIdentity": ["displayName": "John"]],
            ["status": "success", "userIdentity": ["userName": ""]],
            ["status": "success", "userIdentity": ["userName": "a\u{202E}b"]],
            ["status": "success", "userIdentity": ["userName": "a", "attributes": "text"]],
            ["status": "challenge", "stateId": 7],
            ["status": "challenge", "stateId": .string(String(repeating: "x", count: 1025))],
            [
                "status": "success",
                "userIdentity": [
                    "userName": "a",
                    "attributes": .object(
                        Dictionary(
                            uniqueKeysWithValues: ["x", "y"].map { ($0, .array((0..<60).map { .int($0 + 1 << 60) })) }
                        )
                    ),
                ],
            ],
            [
                "status": "success",
                "userIdentity": [
                    "userName": "a",
                    "attributes": .object(
                        Dictionary(
                            uniqueKeysWithValues: (0..<50).map {
                                ("name \($0)", .string(String(repeating: "x", count: 99)))
                            }
                        )
                    ),
                ],
            ],
        ] as [JSONValue]
    )
    func refused(_ json: JSONValue) {
        let error = #expect(throws: ProviderError.self) { try RealmAnswer(json, realm: "corp") }
        #expect(error?.code == .protocolViolation)
    }

    @Test("texts lose control characters and direction marks, and are limited in length and depth") func plain() {
        #expect(CustomIdentity.PlainText.plain("a\u{1B}[31m\u{202E}b\u{2066}c\nd\u{0}") == "a[31mbc d")
        #expect(CustomIdentity.PlainText.plain("a\u{200D}b\u{AD}c\u{200D}\nd") == "a\u{200D}b\u{AD}c d")
        #expect(!CustomIdentity.PlainText.isPlain("a\u{200D}b"), "names of accounts contain no joiners")
        #expect(CustomIdentity.PlainText.plain(String(repeating: "ä", count: 600)).count == 500)
        var deep: JSONValue = "x"
        for _ in 0..<20 { deep = ["a": deep] }
        #expect(!CustomIdentity.PlainText.plain(deep).text.contains("x"))
        #expect(CustomIdentity.PlainText.plain(["\u{202E}k": ["\u{7}v"]]) == ["k": ["v"]])
    }

    @Test("a request names tenant, realm and kind in its path, and the state only if there was one") func request() {
        let realm = CustomRealm(name: "corp", url: "https://idp.example/base/", tenant: "guid")
        #expect(
            RealmClient.address(realm, .startAuthorization)
                == "https://idp.example/base/apps/guid/corp/startAuthorization"
        )
        let answer = RealmCall.handleChallengeAnswer(["a": 1], stateID: "s")
        #expect(RealmClient.address(realm, answer).hasSuffix("/apps/guid/corp/handleChallengeAnswer"))
        #expect(
            answer.body(headers: ["h": "v"]) == ["headers": ["h": "v"], "challengeAnswer": ["a": 1], "stateId": "s"]
        )
        let stateless = RealmCall.handleChallengeAnswer("text", stateID: nil)
        #expect(stateless.body(headers: [:]) == ["headers": [:], "challengeAnswer": "text"])
        #expect(RealmCall.startAuthorization.body(headers: [:]) == ["headers": [:]])
    }
}
