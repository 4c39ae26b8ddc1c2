import AsyncHTTPClient
import Foundation
import LocalIssuer
import NIOCore
import NIOHTTP1
import OAuth
import TestSupport

extension Daemon {
    /// The HTTP client that the tests use.
    ///
    /// An idle connection closes after 50 ms, because a daemon that shuts down waits one second for the next request on
    /// each open connection.
    static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.idleTimeout = .milliseconds(50)
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    struct Answer {
        let status: Int
        let headers: HTTPHeaders
        let json: JSONValue?
    }

    /// Returns a token that the issuer signs for a user at the current time.
    func token(_ oid: String = "alice", changes: [String: JSONValue] = [:]) throws -> String {
        try issuer.token(oid: oid, now: Int64(Date.now.timeIntervalSince1970), changes: changes)
    }

    func send(
        _ method: HTTPMethod,
        _ path: String,
        _ body: JSONValue? = nil,
        token: String?,
        _ fields: [String: String] = [:],
        seconds: Int64 = 20
    ) async throws -> Answer {
        try await send(method, path, bytes: body?.bytes, token: token, fields, seconds: seconds)
    }

    /// Sends a request whose body is JSON that is already encoded.
    func send(
        _ method: HTTPMethod,
        _ path: String,
        bytes: [UInt8]?,
        token: String?,
        _ fields: [String: String] = [:],
        seconds: Int64 = 20
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: "http://localhost:\(port)\(path)")
        request.method = method
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        for (name, value) in fields { request.headers.add(name: name, value: value) }
        if let bytes {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: bytes))
        }
        let response = try await Self.client.execute(request, timeout: .seconds(seconds))
        let answer = try await response.body.collect(upTo: 4 << 20)
        return Answer(
            status: Int(response.status.code),
            headers: response.headers,
            json: try? StrictJSON.parse(answer.readableBytesView)
        )
    }

    /// Writes a file into the folder of the configuration, and returns the file's path.
    @discardableResult func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        let path = folder.path(name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }
}
