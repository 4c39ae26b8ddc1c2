import FlowModel
import HTTPServer
import HTTPTypes
import Localization

/// A mistake in a request to the tables, which did nothing; it is answered 400.
struct RequestProblem: Error {
    /// The sentence for the person who wrote the request.
    let text: Text
    /// The column that is wrong, if it is one.
    let column: String?

    /// A problem of one column or of the whole request.
    init(_ text: Text, column: String? = nil) {
        self.text = text
        self.column = column
    }
}

extension HTTPProblem {
    /// Makes a refusal with a sentence of the catalogs.
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
