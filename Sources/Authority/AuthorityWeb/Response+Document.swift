import Hummingbird
import NIOCore

extension Response {
    /// Creates a response that contains a JSON document, which any cache may store for `maxAge` seconds.
    static func document(_ json: [UInt8], maxAge: Int) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json", .cacheControl: "public, max-age=\(maxAge)"],
            body: .init(byteBuffer: ByteBuffer(bytes: json))
        )
    }
}
