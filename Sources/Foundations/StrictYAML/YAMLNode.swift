/// A scalar, a list or a mapping in a parsed YAML file.
public struct YAMLNode: Sendable {
    struct Member: Sendable {
        let name: String
        let line: Int
        let value: YAMLNode
    }

    enum Content: Sendable {
        case scalar(String, isPlain: Bool)
        case list([YAMLNode])
        case mapping([Member])
    }

    let content: Content

    /// The name of the file, as specified by the caller.
    public let file: String
    /// The line on which the node begins, counted from 1.
    public let line: Int

    /// Returns an empty mapping, which represents a missing file.
    public static func empty(file: String) -> YAMLNode {
        YAMLNode(content: .mapping([]), file: file, line: 1)
    }

    /// Returns the value of the member called `name`, or `nil` if there is none or the node is not a mapping.
    public subscript(name: String) -> YAMLNode? {
        guard case .mapping(let members) = content else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The text of a scalar of any type, or `nil` for a list or a mapping.
    public var scalar: String? {
        guard case .scalar(let text, _) = content else { return nil }
        return text
    }

    /// The names of a mapping's members in file order, or an empty array for any other node.
    public var names: [String] {
        guard case .mapping(let members) = content else { return [] }
        return members.map(\.name)
    }

    /// Returns this mapping with missing members added from the mapping `other`, except members named in `own`.
    ///
    /// A member that is a mapping in both is merged in the same way, unless `whole` contains its name.
    public func inheriting(from other: YAMLNode, whole: Set<String> = [], own: Set<String> = []) -> YAMLNode {
        guard case .mapping(let mine) = content, case .mapping(let theirs) = other.content else { return self }
        var members = mine.map { member in
            guard !whole.contains(member.name), let base = other[member.name] else { return member }
            return Member(name: member.name, line: member.line, value: member.value.inheriting(from: base))
        }
        let names = Set(mine.map(\.name))
        members += theirs.filter { !names.contains($0.name) && !own.contains($0.name) }
        return YAMLNode(content: .mapping(members), file: file, line: line)
    }
}
