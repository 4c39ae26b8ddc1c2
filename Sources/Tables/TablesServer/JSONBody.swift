import FlowModel
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth

/// The check of a request body's media type.
enum JSONBody {
    /// Rejects a body with a `Content-Type` other than JSON.
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

/// JSON responses of the routes other than `/tables`.
enum JSONAnswer {
    /// Returns a 200 response with JSON.
    ///
    /// Caches must not store the response, because it may contain personal data.
    static func of(_ value: JSONValue) -> Response { of(rendered: ByteBuffer(bytes: value.bytes)) }

    /// Returns a 200 response with JSON that is already encoded.
    static func of(rendered bytes: ByteBuffer) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: .init(byteBuffer: bytes)
        )
    }
}
