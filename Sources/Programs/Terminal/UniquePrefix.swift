import FlowModel
import OAuth

/// Finds an element by its name or by a unique prefix of its name.
public enum UniquePrefix {
    /// The kinds of elements that can be found, each of which has its own error messages.
    public enum Kind: String, CaseIterable, Sendable {
        case account
        case task
        case deletedTask
        /// An edit that was rejected or is in conflict.
        case conflict

        func none(_ name: String) -> Text { Text("cli.prefix.none.\(rawValue)", ["name": name]) }

        func several(_ name: String, _ number: Int) -> Text {
            Text("cli.prefix.several.\(rawValue)", ["name": name, "number": number])
        }
    }

    /// The minimum number of characters to show of an id.
    public static let shortest = 8

    /// Returns how many leading characters tell each name from the others, ignoring case, but at least ``shortest``.
    public static func length(of names: [String]) -> Int {
        let sorted = names.map(lowercased).sorted()
        return zip(sorted, sorted.dropFirst()).reduce(shortest) { length, pair in
            max(length, common(pair.0, pair.1) + 1)
        }
    }

    /// Returns the name in lower case, without copying a name that is already in lower case, as most ids are.
    private static func lowercased(_ name: String) -> String {
        let isLowercase = name.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.allSatisfy { $0 < 0x80 && !(0x41...0x5A).contains($0) }
        }
        return isLowercase ?? false ? name : name.lowercased()
    }

    /// Returns the length, in characters, of the prefix that two strings have in common.
    private static func common(_ first: String, _ second: String) -> Int {
        let count = first.utf8.withContiguousStorageIfAvailable { first in
            second.utf8.withContiguousStorageIfAvailable { commonOfASCII(first, $0) } ?? nil
        }
        if let count, let count { return count }
        return zip(first, second).prefix { $0 == $1 }.count
    }

    /// Returns the length of the common prefix, or `nil` if the comparison reaches a byte that is not ASCII.
    private static func commonOfASCII(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Int? {
        let least = min(one.count, other.count)
        guard let end = (0..<least).first(where: { one[$0] != other[$0] || one[$0] >= 0x80 }) else { return least }
        return one[end] < 0x80 && other[end] < 0x80 ? end : nil
    }

    /// Returns the first `length` characters of a name.
    public static func beginning(of name: String, _ length: Int) -> String {
        PlainText.isPlain(name) ? String(Substring(name.utf8.prefix(length))) : String(name.prefix(length))
    }

    /// Whether a name begins with `text`, ignoring case but not the Unicode normalization, in which ids can differ.
    public static func matches(_ name: String, _ text: String) -> Bool {
        name.lowercased().utf8.starts(with: text.lowercased().utf8)
    }

    /// Finds the element whose name is `text`, or the only element whose name begins with `text`.
    ///
    /// The first of an element's `names` is its id. Throws a failure with status 1 if no element or more than one
    /// matches.
    public static func find<Element>(
        _ text: String,
        among elements: [Element],
        _ kind: Kind,
        names: (Element) -> [String]
    ) throws(CommandFailure) -> Element {
        func isText(_ name: String) -> Bool { name.utf8.elementsEqual(text.utf8) }
        // Only an id is unique. Several elements can share any other name.
        if let exact = elements.first(where: { names($0).prefix(1).contains(where: isText) }) { return exact }
        let named = elements.filter { names($0).contains(where: isText) }
        let found =
            named.isEmpty
            ? elements.filter { element in
                !text.isEmpty && names(element).contains { matches($0, text) }
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
