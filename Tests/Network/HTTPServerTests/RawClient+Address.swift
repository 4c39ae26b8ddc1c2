import HTTPServer
import TestSupport

extension RawClient {
    /// Connects to the address of a server.
    init(_ address: ListenAddress) throws {
        switch address {
        case .tcp(let host, let port): try self.init(host: host, port: port)
        case .unix(let path, _): try self.init(path: path)
        }
    }

    /// Sends a request with `Connection: close` and reads the response.
    static func ask(
        _ address: ListenAddress,
        _ line: String,
        host: String,
        _ fields: [String] = [],
        body: String = ""
    )
        async throws -> String
    {
        let client = try RawClient(address)
        let head = ["\(line) HTTP/1.1", "Host: \(host)", "Connection: close"] + fields
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        client.send((head + length).joined(separator: "\r\n") + "\r\n\r\n" + body)
        return await client.readToEnd()
    }
}
