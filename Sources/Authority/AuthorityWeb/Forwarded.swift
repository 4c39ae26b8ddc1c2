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
            Forwarded.address(String(Forwarded.trimmed(element)))
        }
    }
}

/// The `Forwarded` header field (RFC 7239 §4).
enum Forwarded {
    /// The maximum number of hops to read, counted from the last hop.
    fileprivate static let most = 16

    /// Returns the `for` address of each hop, in order, with `nil` for a hop that has none.
    static func hops(_ fields: [String]) -> [NetworkAddress?] {
        fields.flatMap { parts(of: Substring($0), at: ",") }.suffix(most).map(hop)
    }

    /// Returns the address of a hop, or `nil` if it has none, more than one, or a parameter with an invalid name.
    private static func hop(_ element: Substring) -> NetworkAddress? {
        var addresses: [NetworkAddress?] = []
        for pair in parts(of: element, at: ";").map(trimmed) where !pair.isEmpty {
            guard let sign = pair.firstIndex(of: "=") else { return nil }
            let name = pair[..<sign]
            guard !name.contains(where: isBlank) else { return nil }
            guard name.lowercased() == "for" else { continue }
            addresses.append(unquoted(pair[pair.index(after: sign)...]).flatMap(address))
        }
        return addresses.count == 1 ? addresses[0] : nil
    }

    /// Splits a text at a separator, but not inside quoted strings (RFC 9110 §5.6.4).
    ///
    /// The text is read from its end, so that an unbalanced quotation mark in the part that a client sent has no effect
    /// on the part that a proxy appended.
    private static func parts(of text: Substring, at separator: Unicode.Scalar) -> [Substring] {
        let bytes = text.utf8
        var parts: [Substring] = []
        var (end, index, isQuoted) = (bytes.endIndex, bytes.endIndex, false)
        while index > bytes.startIndex {
            let next = index
            index = bytes.index(before: index)
            switch bytes[index] {
            case UInt8(ascii: "\""): isQuoted = !isQuoted || isEscaped(index, in: bytes)
            case UInt8(ascii: separator) where !isQuoted:
                parts.append(text[next..<end])
                end = index
            default: break
            }
        }
        parts.append(text[bytes.startIndex..<end])
        return parts.reversed().filter { !$0.isEmpty }
    }

    /// Returns whether an odd number of backslashes precedes the byte at `index`.
    private static func isEscaped(_ index: Substring.Index, in bytes: Substring.UTF8View) -> Bool {
        bytes[..<index].reversed().prefix { $0 == UInt8(ascii: "\\") }.count % 2 == 1
    }

    /// Returns a value without its quotation marks, or `nil` if they are not a pair around the whole value.
    private static func unquoted(_ value: Substring) -> String? {
        guard value.contains("\"") else { return String(value) }
        guard value.utf8.count >= 2, value.first == "\"", value.last == "\"" else { return nil }
        // No address contains a backslash or another quotation mark, so escaped characters are not decoded.
        return String(value.dropFirst().dropLast())
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }

    fileprivate static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop(while: isBlank)
        return start.lastIndex { !isBlank($0) }.map { start[...$0] } ?? ""
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
