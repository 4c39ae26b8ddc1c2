import HTTPServer
import HTTPTypes
import Hummingbird

/// The rules for the media type of a request body.
enum JSONBody {
    /// Refuses a body whose `Content-Type` is not JSON.
    ///
    /// - Throws: `HTTPProblem` 415.
    static func checkType(_ request: Request) throws(HTTPProblem) {
        guard let type = request.headers[.contentType]?.lowercased() else { return }
        let plain = type.prefix { $0 != ";" }
        guard plain.hasSuffix("/json") || plain.hasSuffix("+json") || plain.hasSuffix("/json ") else {
            throw HTTPProblem(.unsupportedMediaType, code: "invalid_request", message: "the body must be JSON")
        }
    }
}
