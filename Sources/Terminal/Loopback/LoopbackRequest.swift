import OAuth

/// The head of a request that has come to a port of ours (RFC 9112 §2).
struct LoopbackRequest: Sendable {
    /// The longest head, in bytes.
    static let longestHead = 16_384

    private let method: Substring
    private let path: Substring
    private let query: Substring
    private let hosts: [Substring]

    /// Reads a head; nil unless it is one of HTTP/1.
    init?(_ head: [UInt8]) {
        let text = String(decoding: head, as: UTF8.self)
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: true)
        let words = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
        guard words.count == 3, words[1].hasPrefix("/"), words[2].hasPrefix("HTTP/1.") else { return nil }
        method = words[0]
        let parts = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = parts[0]
        query = parts.count == 2 ? parts[1] : ""
        hosts = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == "host" else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            return value.prefix { $0 != " " && $0 != "\t" }
        }
    }

    /// The answer to a request.
    enum Outcome: Hashable {
        /// It is the end of the sign-in: its query, which is taken once.
        case taken(String)
        /// It is something else, and changes nothing: the status.
        case refused(Int)
    }

    /// Judges the request: only `GET` of the one address, with the state of the sign-in, ends it.
    func outcome(at end: LoopbackEnd) -> Outcome {
        guard hosts.count == 1, hosts[0].lowercased() == end.host else { return .refused(421) }
        guard path == end.path else { return .refused(404) }
        guard method == "GET" else { return .refused(405) }
        guard let form = try? Form(query), let state = form["state"], Secret(state) == end.state else {
            return .refused(400)
        }
        return .taken(String(query))
    }
}
