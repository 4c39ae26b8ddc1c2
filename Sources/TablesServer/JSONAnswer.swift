import HTTPTypes
import Hummingbird
import NIOCore
import OAuth

/// Answers that are not a table's.
enum JSONAnswer {
    /// 200 with JSON that nobody keeps: it may say something of a person.
    static func of(_ value: JSONValue) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: value.bytes))
        )
    }
}
