import HTTPTypes
import Hummingbird
import NIOCore
import OAuth

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
