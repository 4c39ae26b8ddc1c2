import OAuth

/// The head of a request to a loopback port (RFC 9112 §2).
struct LoopbackRequest: Sendable {
    /// The maximum size of a head, in bytes.
    static let longestHead = 16_384

    private let method: Substring
    private let path: Substring
    private let query: Substring
    private let hosts: [Substring]

    init?(_ head: [UInt8]) {
        let text = String(decoding: head, as: UTF8.self)
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: true)
        let words = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
        // The query becomes part of a response header field, so it must not contain a line break (RFC 9110 §5.5).
        guard words.count == 3, words[1].hasPrefix("/"), words[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            words[2].hasPrefix("HTTP/1.")
        else { return nil }
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

    enum Outcome: Hashable {
        /// The browser has returned from a sign-in, and the sign-in continues with `query`.
        case goesOn(query: String)
        /// The request belongs to no sign-in, and the response has this HTTP status.
        case refused(Int)
    }

    /// Returns whether the request continues a sign-in.
    ///
    /// This requires the `GET` method, and the address and the `state` of one of `ends`.
    func outcome(at ends: [LoopbackEnd]) -> Outcome {
        guard hosts.count == 1, let host = hosts.first?.lowercased() else { return .refused(421) }
        let here = ends.filter { $0.hosts.contains(host) }
        guard !here.isEmpty else { return .refused(421) }
        let open = here.filter { $0.path == path }
        guard !open.isEmpty else { return .refused(404) }
        guard method == "GET" else { return .refused(405) }
        guard let form = try? Form(query), form.repeated.isEmpty, let state = form["state"].map(Secret.init),
            open.contains(where: { $0.state == state })
        else { return .refused(400) }
        return .goesOn(query: String(query))
    }
}
