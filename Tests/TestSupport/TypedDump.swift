import Foundation

/// The contents of a value, as its leaf values and the property paths that lead to them.
public struct TypedDump: Hashable, Sendable {
    private var leaves: [[String]: String] = [:]

    /// Creates a dump of a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - ignored: The properties to leave out, such as digests of all other properties.
    ///   - text: Returns the text of a value whose description does not show its contents, or `nil` for any other
    ///     value.
    public init(_ value: Any, ignoring ignored: Set<String> = [], text: (Any) -> String? = { _ in nil }) {
        add(value, [], ignored, text)
    }

    /// Returns the names of the properties in which two values differ.
    ///
    /// For each leaf that differs, these are the last two property names on its path. Indexes, keys, and names such as
    /// `rawValue` do not count.
    public func properties(differingFrom other: TypedDump) -> Set<String> {
        let paths = Set(leaves.keys).union(other.leaves.keys).filter { leaves[$0] != other.leaves[$0] }
        return Set(
            paths.flatMap { path in
                path.filter { !["some", "key", "value", "rawValue"].contains($0) && !$0.hasPrefix("[") }.suffix(2)
            }
        )
    }

    private mutating func add(_ value: Any, _ path: [String], _ ignored: Set<String>, _ text: (Any) -> String?) {
        if let text = text(value) {
            leaves[path] = text
            return
        }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .dictionary?:
            let members = mirror.children.compactMap { Array(Mirror(reflecting: $0.value).children.map { $0.value }) }
            for member in members where member.count == 2 { add(member[1], path + ["[\(member[0])]"], ignored, text) }
            leaves[path] = "\(members.count) members"
        case .set?: leaves[path] = mirror.children.map { "\($0.value)" }.sorted().joined(separator: ",")
        default:
            if mirror.children.isEmpty || value is Duration || value is Date || value is URL {
                leaves[path] = "\(value)"
                return
            }
            for (index, child) in mirror.children.enumerated() {
                let label = child.label.map { $0.hasPrefix(".") ? "[\($0)]" : $0 } ?? "[\(index)]"
                if !ignored.contains(label) { add(child.value, path + [label], ignored, text) }
            }
        }
    }
}
