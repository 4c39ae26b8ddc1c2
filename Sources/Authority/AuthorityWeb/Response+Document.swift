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

    /// Creates the same response for a document that pages of every origin may read (Fetch §3.2).
    static func published(_ json: [UInt8], maxAge: Int) -> Response { document(json, maxAge: maxAge).readable(by: "*") }
}
