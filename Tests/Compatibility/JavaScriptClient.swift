import Foundation
import OAuth

/// Sends the same requests as version 2.0.1 of the JavaScript client of Azure Mobile Apps does in a browser.
struct JavaScriptClient: Sendable {
    let port: Int
    /// The token of the signed-in user, or `nil` if no user is signed in.
    var token: String?
    /// Codes that the client sends in `X-ZUMO-FEATURES` before the codes of the call.
    ///
    /// Offline sync sets these codes.
    var features: [String] = []

    func table(_ name: String) -> Table { Table(client: self, name: name) }

    /// Calls `/api/NAME`.
    ///
    /// By default, the request uses `POST` and accepts a JSON response.
    func invokeAPI(
        _ name: String,
        method: String = "POST",
        body: JSONValue? = nil,
        parameters: [(String, String)] = [],
        fields: [(String, String)] = []
    ) async throws -> Answer {
        let codes = (body == nil ? [] : ["AJ"]) + (parameters.isEmpty ? [] : ["QS"])
        let path = "/api/\(name)" + (parameters.isEmpty ? "" : "?" + Self.query(parameters))
        let accept = fields.contains { $0.0.lowercased() == "accept" } ? [] : [("accept", "application/json")]
        return try await send(method, path, body: body?.bytes, codes: codes, fields: fields + accept)
    }

    /// Sends a request with the client's default header fields.
    func send(
        _ method: String,
        _ target: String,
        body: [UInt8]? = nil,
        codes: [String] = [],
        fields: [(String, String)] = []
    ) async throws -> Answer {
        var all = [("Host", "127.0.0.1:\(port)"), ("Origin", Server.origin), ("Accept", "*/*")]
        all.removeAll { pair in fields.contains { $0.0.lowercased() == pair.0.lowercased() } }
        if !fields.contains(where: { $0.0 == "ZUMO-API-VERSION" }) { all.append(("ZUMO-API-VERSION", "2.0.0")) }
        all.append(("X-ZUMO-INSTALLATION-ID", "4ae1a2bb-b9de-3a0b-9d35-7a0f8e3a3c44"))
        if let token { all.append(("X-ZUMO-AUTH", token)) }
        all.append(("X-ZUMO-VERSION", "ZUMO/2.0 (lang=Web; os=--; os_version=--; arch=--; version=2.0.1)"))
        let codes = features + codes
        if !codes.isEmpty { all.append(("X-ZUMO-FEATURES", codes.joined(separator: ","))) }
        if body != nil { all.append(("Content-Type", "application/json")) }
        let absolute = "http://127.0.0.1:\(port)"
        let path = target.hasPrefix(absolute) ? String(target.dropFirst(absolute.count)) : target
        return try await Wire.exchange(port: port, method, Self.asBrowser(path), all + fields, body: body)
    }

    /// Returns a request target as a browser sends it.
    ///
    /// Existing percent-encoding stays, and tabs and line breaks are removed.
    static func asBrowser(_ target: String) -> String {
        var text = ""
        var isQuery = false
        for byte in target.utf8 {
            switch byte {
            case 0x09, 0x0A, 0x0D: continue
            case UInt8(ascii: "?"):
                isQuery = true
                text += "?"
            case 0...0x20, 0x22, 0x23, 0x3C, 0x3E, 0x7F...: text += escape(byte)
            case 0x27 where isQuery: text += escape(byte)
            case 0x60 where !isQuery, 0x7B where !isQuery, 0x7D where !isQuery: text += escape(byte)
            default: text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return text
    }

    /// Encodes like `encodeURIComponent`.
    static func component(_ text: String) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()".utf8)
        return text.utf8.map { plain.contains($0) ? String(UnicodeScalar($0)) : escape($0) }.joined()
    }

    /// Returns a percent-encoded string literal for a filter, in which each quote is doubled.
    static func literal(_ text: String) -> String { "'\(component(text.replacing("'", with: "''")))'" }

    /// Returns custom parameters as the query of a URL.
    static func query(_ parameters: [(String, String)]) -> String {
        parameters.map { "\(component($0.0))=\(component($0.1))" }.joined(separator: "&")
    }

    private static func escape(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "%" + (digits.count == 1 ? "0" : "") + digits
    }
}

extension JavaScriptClient {
    /// The operations on a table without offline sync.
    struct Table: Sendable {
        let client: JavaScriptClient
        let name: String

        func insert(_ row: JSONValue, _ parameters: [(String, String)] = []) async throws -> Answer {
            try await insert(text: row.text, parameters)
        }

        /// Inserts a row whose JSON text is given.
        func insert(text: String, _ parameters: [(String, String)] = []) async throws -> Answer {
            try await client.send("POST", path() + own(parameters), body: Array(text.utf8), codes: codes(parameters))
        }

        /// Updates a row.
        ///
        /// The request omits the system columns, and sends the row's version as `If-Match`.
        func update(_ row: JSONValue, _ parameters: [(String, String)] = []) async throws -> Answer {
            var members = row.object ?? [:]
            let match = Self.match(members)
            for name in ["version", "updatedAt", "createdAt", "deleted"] { members[name] = nil }
            return try await client.send(
                "PATCH",
                path(row["id"]) + own(parameters),
                body: JSONValue.object(members).bytes,
                codes: (match.isEmpty ? [] : ["OC"]) + codes(parameters),
                fields: match
            )
        }

        func delete(_ row: JSONValue, _ parameters: [(String, String)] = []) async throws -> Answer {
            // For a row with a numeric id, the client sends no version.
            let match = row["id"]?.string == nil ? [] : Self.match(row.object ?? [:])
            return try await client.send(
                "DELETE",
                path(row["id"]) + own(parameters),
                codes: (match.isEmpty ? [] : ["OC"]) + codes(parameters),
                fields: match
            )
        }

        func lookUp(_ id: JSONValue?, _ parameters: [(String, String)] = []) async throws -> Answer {
            try await client.send("GET", path(id) + own(parameters), codes: codes(parameters))
        }

        /// Requests the rows that match `query`.
        ///
        /// `raw` tells whether the client received the query as text and not as a query object.
        func read(_ query: String = "", _ parameters: [(String, String)] = [], raw: Bool = false) async throws -> Answer
        {
            let parts = [query, JavaScriptClient.query(parameters)].filter { !$0.isEmpty }
            let target = path() + (parts.isEmpty ? "" : "?" + parts.joined(separator: "&"))
            let code = query.isEmpty ? [] : [raw ? "TR" : "TQ"]
            return try await client.send("GET", target, codes: code + codes(parameters))
        }

        /// Requests a row again with a filter on its id, as the client's `refresh` does.
        func refresh(_ id: JSONValue) async throws -> Answer {
            let wanted =
                id.string.map { "'\(JavaScriptClient.component($0).replacing("'", with: "%27%27"))'" } ?? id.text
            return try await client.send(
                "GET",
                path() + "?$filter=id eq \(wanted)",
                codes: ["RF"],
                fields: [("Content-Type", "application/json")]
            )
        }

        private func path(_ id: JSONValue? = nil) -> String {
            "/tables/\(name)" + (id.map { "/" + JavaScriptClient.component($0.string ?? $0.text) } ?? "")
        }

        private func own(_ parameters: [(String, String)]) -> String {
            parameters.isEmpty ? "" : "?" + JavaScriptClient.query(parameters)
        }

        private func codes(_ parameters: [(String, String)]) -> [String] { parameters.isEmpty ? [] : ["QS"] }

        private static func match(_ members: [String: JSONValue]) -> [(String, String)] {
            guard let version = members["version"]?.string, !version.isEmpty else { return [] }
            return [("If-Match", "\"\(version.replacing("\"", with: "\\\""))\"")]
        }
    }
}
