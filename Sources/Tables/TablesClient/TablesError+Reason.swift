import FlowModel
import OutgoingHTTP
import Tables

extension TablesError {
    /// What is wrong with a request or its answer, as far as users are told; the rest is said to programmers, in English.
    enum Reason: Hashable, Sendable {
        // The way to the API.
        case unreachable, tooSlow
        case untrusted(UntrustedServer, origin: String)

        // Its answer.
        case answered(Int)
        case foreignAnswer(Int)
        case unexpectedStatus(Int, method: String)
        case answerTooLarge(bytes: Int)
        case notJSON, notAList, notARow, notATask, otherRow, browserPage
        case unusableColumn(String)

        // A list.
        case tooManyPages(Int)
        case foreignLink, noCount

        // The request.
        case addressTooLong(bytes: Int)
        case foreignAddress(String)
        case unusableHeader, unusableToken
        case bodyTooLarge(bytes: Int)
        case parameter(QueryProblem.Reason)
    }
}

extension TablesError.Reason {
    /// The sentence, in English and as a text.
    var said: EnglishText {
        switch self {
        case .unreachable: EnglishText("the API cannot be reached", Text("failure.api.unreachable"))
        case .tooSlow: EnglishText("the API did not answer in time", Text("failure.apiTooSlow"))
        case .untrusted(let server, let origin): server.said(at: origin)

        case .answered(let status):
            EnglishText("the API answered \(status)", Text("failure.apiAnswered", ["status": status]))
        case .foreignAnswer(let status):
            EnglishText(
                "something else than the API answered \(status) in its place",
                Text("failure.api.foreignAnswer", ["status": status])
            )
        case .unexpectedStatus(let status, let method):
            EnglishText(
                "the API does not answer \(method) with \(status)",
                Text("failure.api.unexpectedStatus", ["method": method, "status": status])
            )
        case .answerTooLarge(let bytes):
            EnglishText(
                "the API's answer is larger than \(bytes) bytes",
                Text("failure.api.answerTooLarge", ["bytes": bytes])
            )
        case .notJSON: EnglishText("the API's answer is not JSON", Text("failure.api.notJSON"))
        case .notAList: EnglishText("the API's answer is not a list", Text("failure.api.notAList"))
        case .notARow: EnglishText("the API answered something that is no row", Text("failure.api.notARow"))
        case .notATask: EnglishText("the API answered something that is no task", Text("failure.api.notATask"))
        case .otherRow:
            EnglishText("the API's answer is not the row that was asked about", Text("failure.api.otherRow"))
        case .browserPage:
            EnglishText("a page for browsers came in the place of the API's answer", Text("failure.api.browserPage"))
        case .unusableColumn(let name):
            EnglishText(
                "the API answered a row whose '\(name)' no column can hold",
                Text("failure.api.unusableColumn", ["name": name])
            )

        case .tooManyPages(let most):
            EnglishText("the list has more than \(most) pages", Text("failure.api.tooManyPages", ["most": most]))
        case .foreignLink:
            EnglishText("the API's link to the next page leads elsewhere", Text("failure.api.foreignLink"))
        case .noCount:
            EnglishText("the API's answer lacks the count that was asked for", Text("failure.api.noCount"))

        case .addressTooLong(let bytes):
            EnglishText(
                "the address is longer than \(bytes) bytes",
                Text("failure.api.addressTooLong", ["bytes": bytes])
            )
        case .foreignAddress(let address):
            EnglishText(
                "the request leads away from \(address)",
                Text("failure.api.foreignAddress", ["address": address])
            )
        case .unusableHeader: EnglishText("a header field cannot be sent", Text("failure.api.unusableHeader"))
        case .unusableToken: EnglishText("the token cannot be sent", Text("failure.api.unusableToken"))
        case .bodyTooLarge(let bytes):
            EnglishText("the body is larger than \(bytes) bytes", Text("failure.api.bodyTooLarge", ["bytes": bytes]))
        case .parameter(let reason): reason.said
        }
    }
}
