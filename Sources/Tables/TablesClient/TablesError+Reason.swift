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
        case .unreachable: .init("the API cannot be reached", "failure.api.unreachable")
        case .tooSlow: .init("the API did not answer in time", "failure.apiTooSlow")
        case .untrusted(let server, let origin): server.said(at: origin)

        case .answered(let status): .init("the API answered \(status)", "failure.apiAnswered", ["status": status])
        case .foreignAnswer(let status):
            .init(
                "something else than the API answered \(status) in its place",
                "failure.api.foreignAnswer",
                ["status": status]
            )
        case .unexpectedStatus(let status, let method):
            .init(
                "the API does not answer \(method) with \(status)",
                "failure.api.unexpectedStatus",
                ["method": method, "status": status]
            )
        case .answerTooLarge(let bytes):
            .init("the API's answer is larger than \(bytes) bytes", "failure.api.answerTooLarge", ["bytes": bytes])
        case .notJSON: .init("the API's answer is not JSON", "failure.api.notJSON")
        case .notAList: .init("the API's answer is not a list", "failure.api.notAList")
        case .notARow: .init("the API answered something that is no row", "failure.api.notARow")
        case .notATask: .init("the API answered something that is no task", "failure.api.notATask")
        case .otherRow: .init("the API's answer is not the row that was asked about", "failure.api.otherRow")
        case .browserPage: .init("a page for browsers came in the place of the API's answer", "failure.api.browserPage")
        case .unusableColumn(let name):
            .init(
                "the API answered a row whose '\(name)' no column can hold",
                "failure.api.unusableColumn",
                ["name": name]
            )

        case .tooManyPages(let most):
            .init("the list has more than \(most) pages", "failure.api.tooManyPages", ["most": most])
        case .foreignLink: .init("the API's link to the next page leads elsewhere", "failure.api.foreignLink")
        case .noCount: .init("the API's answer lacks the count that was asked for", "failure.api.noCount")

        case .addressTooLong(let bytes):
            .init("the address is longer than \(bytes) bytes", "failure.api.addressTooLong", ["bytes": bytes])
        case .foreignAddress(let address):
            .init("the request leads away from \(address)", "failure.api.foreignAddress", ["address": address])
        case .unusableHeader: .init("a header field cannot be sent", "failure.api.unusableHeader")
        case .unusableToken: .init("the token cannot be sent", "failure.api.unusableToken")
        case .bodyTooLarge(let bytes):
            .init("the body is larger than \(bytes) bytes", "failure.api.bodyTooLarge", ["bytes": bytes])
        case .parameter(let reason): reason.said
        }
    }
}
