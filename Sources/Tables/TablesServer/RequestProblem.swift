import FlowModel
import HTTPServer
import HTTPTypes
import Localization

/// A malformed request, to which the server responds with 400 without changing anything.
struct RequestProblem: Error {
    let text: Text
    /// The invalid column, or `nil` if the error concerns the whole request.
    let column: String?

    init(_ text: Text, column: String? = nil) {
        self.text = text
        self.column = column
    }
}

extension HTTPProblem {
    init(
        _ status: HTTPResponse.Status,
        code: String,
        _ text: Text,
        headers: HTTPFields = [:],
        detail: String? = nil
    ) {
        self.init(status, code: code, message: text.english, text: text, headers: headers, detail: detail)
    }
}
