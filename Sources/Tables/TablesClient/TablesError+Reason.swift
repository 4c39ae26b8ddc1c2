import FlowModel
import OutgoingHTTP
import Tables

extension TablesError {
    /// The cause of an error that has a localized message, unlike errors for programmers, which are only in English.
    enum Reason: Hashable, Sendable {
        case unreachable, tooSlow
        case untrusted(UntrustedServer, origin: String)
        case failed(OutgoingFailure)

        case answered(Int)
        case foreignAnswer(Int)
        case unexpectedStatus(Int, method: String)
        case answerTooLarge(bytes: Int)
        case notJSON, notAList, notARow, notATask, otherRow, browserPage
        case unusableColumn(String)

        case tooManyPages(Int)
        case foreignLink, noCount

        case addressTooLong(bytes: Int)
        case foreignAddress(String)
        case unusableHeader, unusableToken
        case bodyTooLarge(bytes: Int)
        case parameter(QueryProblem.Reason)
    }
}

extension TablesError.Reason {
    var said: EnglishText {
        switch self {
        case .unreachable: .init("The API cannot be reached.", "failure.api.unreachable")
        case .tooSlow: .init("The API did not respond in time. Try again later.", "failure.apiTooSlow")
        case .untrusted(let server, let origin): server.said(at: origin)
        case .failed(let failure): failure.said

        case .answered(let status):
            .init("The API responded with \(status).", "failure.apiAnswered", ["status": status])
        case .foreignAnswer(let status):
            .init(
                "A server other than the API responded with \(status). Check the address and any proxy.",
                "failure.api.foreignAnswer",
                ["status": status]
            )
        case .unexpectedStatus(let status, let method):
            .init(
                "The API responded to \(method) with the unexpected status \(status).",
                "failure.api.unexpectedStatus",
                ["method": method, "status": status]
            )
        case .answerTooLarge(let bytes):
            .init("The API's response is larger than \(bytes) bytes.", "failure.api.answerTooLarge", ["bytes": bytes])
        case .notJSON: .init("The API's response is not JSON.", "failure.api.notJSON")
        case .notAList: .init("The API's response is not a list.", "failure.api.notAList")
        case .notARow: .init("The API's response is not a row.", "failure.api.notARow")
        case .notATask: .init("The API's response is not a task.", "failure.api.notATask")
        case .otherRow: .init("The API returned a different row from the one requested.", "failure.api.otherRow")
        case .browserPage:
            .init(
                "The response is an HTML page that does not come from the API. Check the address and any proxy.",
                "failure.api.browserPage"
            )
        case .unusableColumn(let name):
            .init(
                "The API sent a row with the invalid column name '\(name)'.",
                "failure.api.unusableColumn",
                ["name": name]
            )

        case .tooManyPages(let most):
            .init(
                "The list has more than \(most) pages. Narrow the query.",
                "failure.api.tooManyPages",
                ["most": most]
            )
        case .foreignLink:
            .init("The API's link to the next page points to a different server.", "failure.api.foreignLink")
        case .noCount: .init("The API's response has no count.", "failure.api.noCount")

        case .addressTooLong(let bytes):
            .init(
                "The address is longer than \(bytes) bytes. Shorten the query.",
                "failure.api.addressTooLong",
                ["bytes": bytes]
            )
        case .foreignAddress(let address):
            .init("The request URL is outside \(address)", "failure.api.foreignAddress", ["address": address])
        case .unusableHeader: .init("A header field has characters that cannot be sent.", "failure.api.unusableHeader")
        case .unusableToken: .init("The token has characters that cannot be sent.", "failure.api.unusableToken")
        case .bodyTooLarge(let bytes):
            .init(
                "The request body is larger than \(bytes) bytes. Send less data at a time.",
                "failure.api.bodyTooLarge",
                ["bytes": bytes]
            )
        case .parameter(let reason): reason.said
        }
    }
}
