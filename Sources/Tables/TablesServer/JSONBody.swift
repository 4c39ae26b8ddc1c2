import FlowModel
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth

enum JSONBody {
    /// Throws a 415 error for a body with a `Content-Type` other than JSON.
    static func checkType(_ request: Request) throws(HTTPProblem) {
        guard let type = request.headers[.contentType]?.lowercased() else { return }
        let plain = type.prefix { $0 != ";" }
        guard plain.hasSuffix("/json") || plain.hasSuffix("+json") || plain.hasSuffix("/json ") else {
            throw HTTPProblem(.unsupportedMediaType, code: "invalid_request", Text("tables.bodyNotJSON"))
        }
    }
}

/// JSON responses for all routes except those under `/tables`.
enum JSONAnswer {
    /// Returns a 200 response, which caches must not store because it can contain personal data.
    static func of(_ value: JSONValue) -> Response { of(rendered: ByteBuffer(bytes: value.bytes)) }

    static func of(rendered bytes: ByteBuffer) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: .init(byteBuffer: bytes)
        )
    }
}
