import FlowModel
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth

/// The rules for the media type of a request body.
enum JSONBody {
    /// Refuses a body whose `Content-Type` is not JSON.
    ///
    /// - Throws: `HTTPProblem` 415.
    static func checkType(_ request: Request) throws(HTTPProblem) {
        guard let type = request.headers[.contentType]?.lowercased() else { return }
        let plain = type.prefix { $0 != ";" }
        guard plain.hasSuffix("/json") || plain.hasSuffix("+json") || plain.hasSuffix("/json ") else {
            throw HTTPProblem(.unsupportedMediaType, code: "invalid_request", Text("tables.bodyNotJSON"))
        }
    }
}

/// JSON answers of routes other than the tables'.
enum JSONAnswer {
    /// Answers 200 with JSON that may not be cached, since it may hold personal data.
    static func of(_ value: JSONValue) -> Response { of(rendered: ByteBuffer(bytes: value.bytes)) }

    /// Answers 200 with JSON that was rendered before.
    static func of(rendered bytes: ByteBuffer) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: .init(byteBuffer: bytes)
        )
    }
}
