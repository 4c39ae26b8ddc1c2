import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import OAuth

/// An HTTP response from one of the daemons.
struct WebAnswer {
    let status: Int
    let headers: HTTPHeaders
    let text: String

    /// The body as JSON, or `nil` if the body is not JSON.
    var json: JSONValue? { try? StrictJSON.parse(Array(text.utf8)) }

    /// Sends a request, optionally with a bearer token and a JSON body.
    static func to(
        _ method: HTTPMethod,
        _ url: String,
        _ body: JSONValue? = nil,
        token: String?,
        accept: String? = nil
    ) async throws -> WebAnswer {
        var request = HTTPClientRequest(url: url)
        request.method = method
        // Without this field, the client might reuse a connection that the server is closing, for example after the
        // clock jumps.
        request.headers.add(name: "Connection", value: "close")
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let accept { request.headers.add(name: "Accept", value: accept) }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body.bytes))
        }
        let response = try await HTTPClient.forTests.execute(request, timeout: .seconds(30))
        let bytes = try await response.body.collect(upTo: 1 << 24)
        return WebAnswer(status: Int(response.status.code), headers: response.headers, text: String(buffer: bytes))
    }
}
