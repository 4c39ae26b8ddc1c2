import HTTPTypes
import Origins

extension ForwardedHeader {
    /// The name of the field, for looking it up in a request.
    var name: HTTPField.Name? { HTTPField.Name(rawValue) }

    /// Returns the address of each hop, in order, with `nil` for a hop that has none.
    func hops(_ fields: [String]) -> [NetworkAddress?] {
        switch self {
        case .forwarded: Forwarded.hops(fields)
        case .xForwardedFor: XForwardedFor.hops(fields)
        }
    }
}

/// The `X-Forwarded-For` header field, a list of addresses to which each proxy appends the address of its peer.
enum XForwardedFor {
    /// Returns the address of each hop, in order, with `nil` for an element that is no address.
    static func hops(_ fields: [String]) -> [NetworkAddress?] {
        fields.flatMap { $0.split(separator: ",") }.suffix(Forwarded.most).map { element in
            Forwarded.address(element.filter { $0 != " " && $0 != "\t" })
        }
    }
}

/// The `Forwarded` header field (RFC 7239 §4).
enum Forwarded {
    /// The maximum number of hops to read, counted from the last hop.
    fileprivate static let most = 16

    /// Returns the `for` address of each hop, in order, with `nil` for a hop that has none.
    static func hops(_ fields: [String]) -> [NetworkAddress?] {
        fields.flatMap { $0.split(separator: ",") }.suffix(most).map { element in
            for pair in element.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" } }
                guard parts.count == 2, parts[0].lowercased() == "for" else { continue }
                return address(parts[1].filter { $0 != "\"" })
            }
            return nil
        }
    }

    /// Parses an address such as `192.0.2.43:47011` or `[2001:db8::1]:8080`, with or without the port.
    fileprivate static func address(_ text: String) -> NetworkAddress? {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            return NetworkAddress(String(text[text.index(after: text.startIndex)..<end]))
        }
        return NetworkAddress(text) ?? NetworkAddress(String(text.prefix { $0 != ":" }))
    }
}
