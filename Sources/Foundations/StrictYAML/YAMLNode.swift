/// A place in a parsed file: a scalar, a list or a mapping, with the line where it begins.
public struct YAMLNode: Sendable {
    /// One member of a mapping.
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

    /// The file, as the caller named it.
    public let file: String
    /// The line, counted from 1.
    public let line: Int

    /// An empty mapping, as of a file that does not exist.
    public static func empty(file: String) -> YAMLNode {
        YAMLNode(content: .mapping([]), file: file, line: 1)
    }

    /// The member of a mapping, if this is one and has it.
    public subscript(name: String) -> YAMLNode? {
        guard case .mapping(let members) = content else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The characters of a scalar, whatever they mean.
    public var scalar: String? {
        guard case .scalar(let text, _) = content else { return nil }
        return text
    }

    /// The names of a mapping's members, in their order.
    public var names: [String] {
        guard case .mapping(let members) = content else { return [] }
        return members.map(\.name)
    }

    /// This mapping with what it leaves out taken from another; mappings in both are joined, the rest replaced.
    ///
    /// Members named in `whole` are replaced even where both are mappings, and those in `own` never inherited.
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
