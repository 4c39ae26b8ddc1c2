import FlowModel
import Localization
import OAuth
import OutgoingHTTP
import Tables
import Testing

@testable import TablesClient

@Suite(.timeLimit(.minutes(1)))
struct TablesErrorTextTests {
    private static let reasons: [TablesError.Reason] = [
        .unreachable, .tooSlow, .untrusted(UntrustedServer(port: 7, uid: 8), origin: "<x>"),
        .untrusted(UntrustedServer(port: 7, uid: nil), origin: "<x>"), .answered(500), .foreignAnswer(404),
        .unexpectedStatus(204, method: "GET"), .answerTooLarge(bytes: 7), .notJSON, .notAList, .notARow, .notATask,
        .otherRow, .browserPage, .unusableColumn("<x>"), .tooManyPages(7), .foreignLink, .noCount,
        .addressTooLong(bytes: 7), .foreignAddress("<x>"), .unusableHeader, .unusableToken, .bodyTooLarge(bytes: 7),
        .parameter(.reservedParameter("<x>")),
    ]

    @Test("every request error that users see has an English and a German message", arguments: reasons)
    func sentences(_ reason: TablesError.Reason) {
        let error = TablesError(.refused, reason)
        let german = error.said.text.words(in: .german)
        #expect(error.message == error.said.text.english)
        #expect(error.said.text.isInCatalog && german != error.message)
        #expect(error.message.contains("<x>") == german.contains("<x>"), "\(german)")
    }

    @Test(
        "an error in an API's URL has an English and a German message",
        arguments: [
            "nothing", "ftp://api.example", "https://u@api.example", "https://api.example:0",
            "http://localhost/tasks:3000", "http://api.example",
        ]
    )
    func address(_ text: String) {
        let error = #expect(throws: APIAddress.Invalid.self) { try APIAddress(text) }
        #expect(error.map { $0.description == $0.said.text.english && $0.said.text.isInCatalog } == true)
        #expect(error.map { $0.said.text.words(in: .german) != $0.description } == true)
    }

    private func refused(_ members: [String: JSONValue]) -> TablesError {
        let request = TablesRequest(.get, "https://api.example/tables/todoitem", correlationID: .random())
        let body = JSONValue.object(members.merging(["code": 400, "error": "words of the API"]) { first, _ in first })
        return TablesError(Exchanged(request: request, response: TablesResponse(status: 400, json: body)))
    }

    @Test("an error has the key and parameters of the response in addition to the message") func key() {
        let error = refused(["key": "row.missing", "parameters": ["name": "text"], "column": "text"])
        #expect(error.message == "words of the API" && error.column == "text")
        #expect(error.said.text == Text("row.missing", ["name": "text"]))
        #expect(error.said.text.words(in: .german) == "'text' fehlt")
    }

    @Test(
        "a response without a key, or with a malformed one, keeps its message",
        arguments: [
            [:], ["key": 7], ["key": "row.missing", "parameters": []],
            ["key": "row.missing", "parameters": ["name": true]],
        ] as [[String: JSONValue]]
    )
    func words(_ members: [String: JSONValue]) {
        #expect(refused(members).said == EnglishText(exactly: "words of the API"))
    }
}
