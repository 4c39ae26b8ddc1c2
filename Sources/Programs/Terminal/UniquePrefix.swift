import FlowModel
import OAuth

/// Finds what a person means by the beginning of its name.
public enum UniquePrefix {
    /// The kinds of things that are named so.
    public enum Kind: String, CaseIterable, Sendable {
        /// An account of this user.
        case account
        /// A task.
        case task
        /// A task that was deleted.
        case deletedTask
        /// An edit that is refused or in conflict.
        case conflict

        /// The sentence where there is none of that name.
        func none(_ name: String) -> Text { Text("cli.prefix.none.\(rawValue)", ["name": name]) }

        /// The sentence where the names of several begin so.
        func several(_ name: String, _ number: Int) -> Text {
            Text("cli.prefix.several.\(rawValue)", ["name": name, "number": number])
        }
    }

    /// Fewest characters of an id that are shown.
    public static let shortest = 8

    /// The number of characters that tell each of `names` from the others, in any case; at least ``shortest``.
    public static func length(of names: [String]) -> Int {
        let sorted = names.map(lowercased).sorted()
        return zip(sorted, sorted.dropFirst()).reduce(shortest) { length, pair in
            max(length, common(pair.0, pair.1) + 1)
        }
    }

    /// The name in lower case, as nearly every id already is.
    private static func lowercased(_ name: String) -> String {
        let isLowercase = name.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.allSatisfy { $0 < 0x80 && !(0x41...0x5A).contains($0) }
        }
        return isLowercase ?? false ? name : name.lowercased()
    }

    /// Number of characters that two names begin with alike.
    private static func common(_ first: String, _ second: String) -> Int {
        let count = first.utf8.withContiguousStorageIfAvailable { first in
            second.utf8.withContiguousStorageIfAvailable { commonOfASCII(first, $0) } ?? nil
        }
        if let count, let count { return count }
        return zip(first, second).prefix { $0 == $1 }.count
    }

    /// Number of bytes that two texts begin with alike; nil where they go beyond ASCII, of which a character is more than
    /// a byte.
    private static func commonOfASCII(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Int? {
        let least = min(one.count, other.count)
        guard let end = (0..<least).first(where: { one[$0] != other[$0] || one[$0] >= 0x80 }) else { return least }
        return one[end] < 0x80 && other[end] < 0x80 ? end : nil
    }

    /// The first characters of a name.
    public static func beginning(of name: String, _ length: Int) -> String {
        PlainText.isPlain(name) ? String(Substring(name.utf8.prefix(length))) : String(name.prefix(length))
    }

    /// The one element that is named so, or the only one whose name begins so.
    ///
    /// - Parameters:
    ///   - text: What was typed.
    ///   - elements: What there is.
    ///   - kind: The kind of the elements.
    ///   - names: The names of an element.
    /// - Returns: The element.
    /// - Throws: 1 if there is none, or more than one.
    public static func find<Element>(
        _ text: String,
        among elements: [Element],
        _ kind: Kind,
        names: (Element) -> [String]
    ) throws(CommandFailure) -> Element {
        // An id stands first, and is nobody else's; another name may be that of several.
        if let exact = elements.first(where: { names($0).first == text }) { return exact }
        let named = elements.filter { names($0).contains(text) }
        let found =
            named.isEmpty
            ? elements.filter { element in
                !text.isEmpty && names(element).contains { $0.lowercased().hasPrefix(text.lowercased()) }
            } : named
        guard let first = found.first else {
            throw CommandFailure(.failed, "not_found", kind.none(text))
        }
        guard found.count == 1 else {
            let candidates = found.prefix(5).compactMap { names($0).first }.joined(separator: ", ")
            throw CommandFailure(
                .failed,
                "ambiguous",
                kind.several(text, found.count),
                hint: Text("cli.prefix.oneOf", ["names": candidates])
            )
        }
        return first
    }
}
